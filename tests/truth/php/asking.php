<?php
// Computes for some 30 us and asks the kernel for a file, again and again, and
// says twenty times a second when it is and for how long it has computed.

function work()
{
    for ($i = 0, $sum = 0; $i < 2000; $i++) {
        $sum += $i;
    }
}

function ask()
{
    clearstatcache();
    return is_file('/nothing/of/this/name');
}

echo "{\"ready\": 1}\n";
$worked = $told = 0;
while (true) {
    $begin = hrtime(true);
    work();
    $end = hrtime(true);
    ask();
    $worked += $end - $begin;
    if ($end - $told > 5e7) {
        $told = $end;
        echo hrtime(true), ' ', $worked, "\n";
    }
}
