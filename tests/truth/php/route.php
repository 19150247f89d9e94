<?php
// Takes as long as its route says, and logs when it began and ended, on the
// clock that Python calls monotonic. The log and its own number come with the
// address: /checkout?n=17&ms=80&log=/tmp/log
$begin = hrtime(true);
parse_str(parse_url($_SERVER['REQUEST_URI'], PHP_URL_QUERY), $ask);

function serve(int $ms): void
{
    usleep(1000 * $ms);
}

serve((int) $ask['ms']);
file_put_contents($ask['log'], "$ask[n] $begin " . hrtime(true) . "\n",
    FILE_APPEND | LOCK_EX);
