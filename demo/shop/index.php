<?php
/* The shop: finds the page of a request. Started as `php -S HOST:PORT FILE`. */
declare(strict_types=1);

require __DIR__ . '/Catalog.php';
require __DIR__ . '/PriceList.php';
require __DIR__ . '/pages.php';

$path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$catalog = new Catalog();
$prices = new PriceList(__DIR__ . '/prices.csv');

if (preg_match('~^/product/(\d+)$~', $path, $found)) {
	echo product_page($catalog, $prices, (int) $found[1]);
} elseif (preg_match('~^/category/(\w+)$~', $path, $found)) {
	echo category_page($catalog, $prices, $found[1]);
} elseif ($path === '/cart') {
	echo cart_page($catalog, $prices, [7, 19, 203]);
} else {
	echo home_page($catalog);
}
