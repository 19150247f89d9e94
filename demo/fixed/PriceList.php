<?php
/* Prices, as another program exports them. */
declare(strict_types=1);

final class PriceList
{
	public function __construct(private string $path)
	{
	}

	public function add_to(array $products): array
	{
		$prices = $this->of(array_column($products, 'sku'));
		foreach ($products as $i => $product) {
			$products[$i]['price'] = $prices[$product['sku']] ?? 0.0;
		}
		return $products;
	}

	private function of(array $skus): array
	{
		$file = fopen($this->path, 'r');
		$wanted = array_flip($skus);
		$prices = [];
		while (count($prices) < count($wanted) &&
		    ($row = fgetcsv($file, 0, ';', '"', '')) !== false) {
			if (isset($wanted[$row[0]])) {
				$prices[$row[0]] = (float) $row[1];
			}
		}
		fclose($file);
		return $prices;
	}
}
