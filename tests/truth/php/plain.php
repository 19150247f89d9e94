<?php
// As route.php, without mentioning what makes PHP note the time of a request.
$begin = hrtime(true);
$ask = $_GET;

function serve(int $ms): void
{
    usleep(1000 * $ms);
}

serve((int) $ask['ms']);
file_put_contents($ask['log'], "$ask[n] $begin " . hrtime(true) . "\n",
    FILE_APPEND | LOCK_EX);
