<?php
/* What each thread of embed.c runs: waits, as deep as its own number says. */
if (!function_exists('wait')) {
    function wait($n, $deeper)
    {
        if ($deeper > 0) {
            wait($n, $deeper - 1);
        }
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
wait($n, $n);
