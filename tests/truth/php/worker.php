<?php
// The same as route.php, by a script of FrankenPHP that does not end between two
// requests.
function serve(int $ms): void
{
    usleep(1000 * $ms);
}

function answer(): void
{
    $begin = hrtime(true);
    parse_str(parse_url($_SERVER['REQUEST_URI'], PHP_URL_QUERY), $ask);
    serve((int) $ask['ms']);
    file_put_contents($ask['log'], "$ask[n] $begin " . hrtime(true) . "\n",
        FILE_APPEND | LOCK_EX);
}

while (frankenphp_handle_request('answer')) {
}
