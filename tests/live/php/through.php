<?php
// Calls that go through C. Says as `chains` every stack of functions that does
// the work; a word with a colon is part of a name of C that must be between
// two of them.

function work()
{
    for ($i = $s = 0; $i < 3000; $i++) {
        $s += $i * $i;
    }
    return $s;
}

function compare($a, $b)
{
    work();
    return $a <=> $b;
}

function mapped($x)
{
    work();
    return $x;
}

function generated()
{
    for ($i = 0; $i < 4; $i++) {
        work();
        yield $i;
    }
}

function delegated()
{
    yield from generated();
}

class Magic
{
    public function __get($name)
    {
        work();
        return 1;
    }
}

function by_usort()
{
    $a = range(1, 6);
    usort($a, 'compare');
}

function by_map()
{
    array_map('mapped', [1, 2, 3, 4]);
}

function by_foreach()
{
    foreach (delegated() as $x);
}

function by_iterator()
{
    iterator_to_array(delegated(), false);
}

function by_magic()
{
    $magic = new Magic;
    for ($i = 0; $i < 4; $i++) {
        $magic->name;
    }
}

function deep($n)
{
    return $n > 0 ? array_map('deep', [$n - 1]) : work();
}

function by_deep()
{
    for ($i = 0; $i < 4; $i++) {
        deep(5);
    }
}

// An internal function that C calls: there is no loop for it.
function by_internal($s)
{
    return array_map('md5', [$s, $s, $s, $s]);
}

$deep = ['<main>', 'by_deep', 'deep'];
for ($i = 0; $i < 5; $i++) {
    array_push($deep, 'array_map', ':zend_call_function', 'deep');
}
$deep[] = 'work';
$chains = [
    ['<main>', 'by_usort', 'usort', ':sort', 'compare', 'work'],
    ['<main>', 'by_map', 'array_map', ':zend_call_function', 'mapped', 'work'],
    ['<main>', 'by_foreach', ':zend_generator_resume', 'delegated',
        'generated', 'work'],
    ['<main>', 'by_iterator', 'iterator_to_array', ':spl_iterator_apply',
        'delegated', 'generated', 'work'],
    ['<main>', 'by_magic', ':zend_call_function', 'Magic::__get', 'work'],
    $deep,
    ['<main>', 'by_internal', 'array_map', ':zend_call_function', 'md5'],
];
// As text: not every PHP has JSON.
$texts = [];
foreach ($chains as $chain) {
    $texts[] = '["' . implode('", "', $chain) . '"]';
}
// The call of a generator's function makes a generator, and no more.
echo '{"chains": [', implode(', ', $texts), '], "others": [',
    '["<main>", "by_foreach", "delegated"], ',
    '["<main>", "by_iterator", "delegated"]]}', "\n";
$s = str_repeat('abc', 10000);
while (true) {
    by_usort();
    by_map();
    by_foreach();
    by_iterator();
    by_magic();
    by_deep();
    by_internal($s);
}
