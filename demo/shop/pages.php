<?php
/* The pages, as HTML. */
declare(strict_types=1);

function home_page(Catalog $catalog): string
{
	$list = '';
	foreach ($catalog->kinds() as $kind) {
		$list .= "<li><a href='/category/$kind'>" . ucfirst($kind) . '</a>';
	}
	return layout('Welcome', "<ul>$list</ul>" .
		similar($catalog, $catalog->find(1)));
}

function product_page(Catalog $catalog, PriceList $prices, int $id): string
{
	$products = $prices->add_to([$catalog->find($id)]);
	return layout($products[0]['name'], cards($products) .
		similar($catalog, $products[0]));
}

function category_page(Catalog $catalog, PriceList $prices, string $kind): string
{
	$products = $prices->add_to($catalog->in_category($kind));
	return layout(ucfirst($kind), cards($products));
}

function cart_page(Catalog $catalog, PriceList $prices, array $ids): string
{
	$products = $prices->add_to(array_map([$catalog, 'find'], $ids));
	return layout('Your cart', cards($products));
}

function cards(array $products): string
{
	$cards = '';
	foreach ($products as $product) {
		$name = htmlspecialchars($product['name']);
		$price = number_format($product['price'], 2);
		$cards .= "<article><h2>$name</h2>" . markdown($product['text']) .
			"<p>$price EUR</p></article>";
	}
	return $cards;
}

function similar(Catalog $catalog, array $product): string
{
	$names = $catalog->similar_to($product);
	return '<p>You may also like ' . implode(', ', $names) . '</p>';
}

function markdown(string $text): string
{
	$text = preg_replace('/\*\*(.+?)\*\*/', '<b>$1</b>', $text);
	$text = preg_replace('/\b(https?:\S+)/', '<a href="$1">$1</a>', $text);
	return '<p>' . wordwrap($text, 72, "<br>\n") . '</p>';
}

function layout(string $title, string $body): string
{
	return "<!doctype html><title>$title</title><h1>$title</h1>$body";
}
