<?php
// PHP_CodeSniffer over a file of Twig, again and again.
require __DIR__ . '/forever.php';
require 'PHP/CodeSniffer/autoload.php';

$share = dirname(stream_resolve_include_path('Twig/autoload.php'));
$_SERVER['argv'] = ['phpcs', '--standard=PSR12', '--no-cache', '-q',
    '--report=json', '--runtime-set', 'ignore_warnings_on_exit', '1',
    "$share/TokenParser/ForTokenParser.php", "$share/TokenStream.php"];
run_forever(function () {
    (new PHP_CodeSniffer\Runner())->runPHPCS();
});
