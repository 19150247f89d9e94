<?php
/* The address /slow takes 20 ms. */
function slow_report()
{
    $end = microtime(true) + 0.02;
    $n = 0;
    while (microtime(true) < $end)
        $n += array_sum(range(1, 100));
    return $n;
}

if ($_SERVER['REQUEST_URI'] === '/slow')
    slow_report();
echo "ok\n";
