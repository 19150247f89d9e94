<?php
/* What each thread of embed.c runs: waits, in a function of its own number. */
if (!function_exists('wait')) {
    function wait($n)
    {
        for (;;) {
            usleep(2000);
        }
    }
}
$name = "thread $n";
if ($n === 0 && getenv('EMBED_END')) {
    usleep(500000);
    return;
}
wait($n);
