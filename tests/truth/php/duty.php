<?php
// Works for a while and rests for a while, again and again, and says twenty
// times a second when it is and for how long it has worked: `now work` in ns.
function work(int $n)
{
    for ($i = 0; $i < $n; $i++) {
        $x = $i * $i;
    }
}

function rest()
{
    usleep(8000);
}

$start = hrtime(true);
work(300000);
$loops = (int) (300000 * 4e6 / (hrtime(true) - $start));
$worked = $told = 0;
echo "{\"ready\": 1}\n";
while (true) {
    $begin = hrtime(true);
    work($loops);
    $end = hrtime(true);
    $worked += $end - $begin;
    if ($end - $told > 50000000) {
        $told = $end;
        echo "$end $worked\n";
    }
    rest();
}
