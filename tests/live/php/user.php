<?php
// Serves a request; shop.php is the same under other names, so that without
// opcache its functions take the places of these.
function userStart(string $uri): int { return userWork(explode('/', $uri)); }
function userWork(array $parts): int
{
    $n = 0;
    for ($i = 0; $i < 30000; $i++) { $n += strlen(crc32($parts[1] . $i)); }
    return $n;
}
echo userStart($_SERVER['REQUEST_URI']);
