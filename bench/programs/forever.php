<?php
// Work that never ends, for programs that are sampled.

function say_ready(array $facts = [])
{
    fwrite(STDOUT, json_encode((object)$facts) . "\n");
}

// Once before it is ready, so that files are loaded.
function run_forever(callable $work)
{
    $quietly = function () use ($work) {
        ob_start();
        $work();
        ob_end_clean();
    };
    $quietly();
    say_ready();
    $end = hrtime(true) + 1e9 * (float)(getenv('TARGET_SECONDS') ?: 3600);
    while (hrtime(true) < $end) {
        $quietly();
    }
}
