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
		foreach ($products as $i => $product) {
			$products[$i]['price'] = $this->of($product['sku']);
		}
		return $products;
	}

	private function of(string $sku): float
	{
		$file = fopen($this->path, 'r');
		while (($row = fgetcsv($file, 0, ';', '"', '')) !== false) {
			if ($row[0] === $sku) {
				break;
			}
		}
		fclose($file);
		return (float) ($row[1] ?? 0);
	}
}
