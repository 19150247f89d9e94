<?php
// PHPUnit over tests of Twig's expressions, again and again.
require __DIR__ . '/forever.php';
define('PHPUNIT_COMPOSER_INSTALL', 'PHPUnit/Autoload.php');
require PHPUNIT_COMPOSER_INSTALL;
require 'Twig/autoload.php';

run_forever(function () {
    (new PHPUnit\TextUI\Command())->run(
        ['phpunit', '--no-configuration', '--do-not-cache-result',
            '--stderr', __DIR__ . '/ExpressionTest.php'],
        false
    );
});
