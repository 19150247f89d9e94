<?php
// Serves a request; user.php is the same under other names, so that without
// opcache its functions take the places of these.
function shopStart(string $uri): int { return shopWork(explode('/', $uri)); }
function shopWork(array $parts): int
{
    $n = 0;
    for ($i = 0; $i < 30000; $i++) { $n += strlen(md5($parts[1] . $i)); }
    return $n;
}
echo shopStart($_SERVER['REQUEST_URI']);
