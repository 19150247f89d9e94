<?php
/* What the shop sells. */
declare(strict_types=1);

final class Catalog
{
	private const KINDS = ['books', 'garden', 'kitchen', 'music', 'toys'];
	private const SIZE = 400;

	public function find(int $id): array
	{
		$kind = self::KINDS[$id % count(self::KINDS)];
		return [
			'sku' => sprintf('%s-%04d', $kind, $id),
			'name' => ucfirst($kind) . ' no. ' . $id,
			'kind' => $kind,
			'text' => str_repeat("One of our $kind, made with care. ", 12),
		];
	}

	public function in_category(string $kind): array
	{
		$found = [];
		for ($id = 0; $id < self::SIZE && count($found) < 30; $id++) {
			$product = $this->find($id);
			if ($product['kind'] === $kind) {
				$found[] = $product;
			}
		}
		return $found;
	}

	/* The names of those whose texts are most alike. */
	public function similar_to(array $product): array
	{
		$alike = [];
		for ($id = 0; $id < 8; $id++) {
			$other = $this->find($id);
			$alike[$other['name']] =
				similar_text($product['text'], $other['text']);
		}
		arsort($alike);
		return array_slice(array_keys($alike), 0, 3);
	}

	public function kinds(): array
	{
		return self::KINDS;
	}
}
