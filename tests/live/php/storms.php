<?php
// Does one thing all the time that changes much of an interpreter's memory:
// php storms.php gc|includes|exceptions|forks FOLDER.
class Node { public $other; }

/** Garbage that only the collector finds. */
function rings()
{
    for ($i = 0; $i < 200; $i++) {
        $a = new Node;
        $b = new Node;
        $a->other = $b;
        $b->other = $a;
    }
    gc_collect_cycles();
}

function fill(string $folder)
{
    for ($i = 0; $i < 20; $i++) {
        file_put_contents("$folder/made_$i.php",
            "<?php return (function () { return strrev('$i'); })();");
    }
}

function includes(string $folder)
{
    for ($i = 0; $i < 20; $i++) {
        include "$folder/made_$i.php";
    }
}

function deeper(int $n)
{
    if ($n > 300) {
        throw new RuntimeException('deep');
    }
    return deeper($n + 1);
}

function exceptions()
{
    try {
        deeper(0);
    } catch (RuntimeException $e) {
        return $e->getLine();
    }
}

function child()
{
    usleep(1000);
    exit;
}

function forks()
{
    if (pcntl_fork() === 0) {
        child();
    }
    pcntl_wait($status);
}

$work = ['gc' => 'rings'][$argv[1]] ?? $argv[1];
fill($argv[2]);
echo "{}\n";
while (true) {
    $work($argv[2]);
}
