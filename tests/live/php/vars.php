<?php
/* Variables of all kinds, with the values that bobbin should tell. "still"
 * waits; "busy" changes what it has as fast as it can. */
namespace App;

class Base
{
    public static $inherited = 'from base';
    protected $level = 7;
}

class Shop extends Base
{
    public static $hits = 5;
    public static $untouched = 'initial';
    private $id = 42;
    public $list = [10, 20, 30];
    public $map = ['x' => ['y' => 'deep'], 3 => 1.5, 'self' => null];

    public function serve($user, $n, callable $wait)
    {
        static $calls = 0;
        $calls++;
        $long = str_repeat('é', 300);
        $text = "two\nlines \"quoted\"";
        $bytes = "\xff";
        $empty = '';
        $float = 0.1;
        $huge = 1e25;
        $negative = -9223372036854775807 - 1;
        $truth = true;
        $lie = false;
        $nothing = null;
        $dynamic = new \stdClass;
        $dynamic->name = 'dynamic';
        $dynamic->{'17'} = 'seventeen';
        $hash = [-5 => 'minus five', '007' => 'agent', 'gone' => 1];
        unset($hash['gone']);
        $refers = &$hash['007'];
        self::$hits++;
        $wait();
        return [$long, $text, $bytes, $empty, $float, $huge, $negative,
            $truth, $lie, $nothing, $dynamic, $refers, $user, $n, $undefined];
    }
}

function again()
{
    static $attempts = 3;
    $attempts++;
    $local = 'of again';
    (new Shop)->serve('joe', 17, $GLOBALS['wait']);
    return $local;
}

/* Some builds have no json_encode. */
function json(array $values)
{
    $parts = [];
    foreach ($values as $key => $value) {
        $parts[] = '"' . addcslashes($key, '"\\') . '": ' .
            ($value === null ? 'null'
                : '"' . addcslashes($value, '"\\') . '"');
    }
    return '{' . implode(', ', $parts) . '}';
}

/* A pair of values that belong together, in one string; a string and a
 * number in turn, and an array that comes and goes. */
function busy()
{
    global $pair, $changing, $nested;
    for ($i = 0;; $i++) {
        $pair = str_repeat(chr(97 + $i % 26), 40 + $i % 100);
        $changing = $i % 2 ? $i : 'text' . $i;
        $nested = $i % 3 ? ['in' => ['side' => $pair]] : null;
        $count = $i;
        work($i);
    }
}

function work($n)
{
    $twice = [$n, $n . ':' . $n];
    return count($twice);
}

$config = ['database' => ['host' => 'db.local', 'port' => 3306]];
$items = range(1, 10);
$none = null;
$wait = function () {
    for (;;) {
        sleep(1);
    }
};
if ($argv[1] == 'busy') {
    echo "{}\n";
    busy();
}
$serve = 'local::App\Shop::serve()';
echo json(['global::$config[database][host]' => '(string) "db.local"',
    'global::$config[database][port]' => '(int) 3306',
    'global::$config' => '(array) count=1',
    'global::$items[9]' => '(int) 10',
    'global::$items[10]' => null,
    'global::$items[x]' => null,
    'global::$none' => 'null',
    'global::$missing' => null,
    'global::$config->database' => null,
    "$serve\$user" => '(string) "joe"',
    "$serve\$n" => '(int) 17',
    "$serve\$long" => '(string) "' . str_repeat('é', 200) . '..."',
    "$serve\$text" => '(string) "two\nlines \"quoted\""',
    "$serve\$bytes" => '(string) "<invalid-utf8>"',
    "$serve\$empty" => '(string) ""',
    "$serve\$float" => '(float) 0.1',
    "$serve\$huge" => '(float) 1.0E+25',
    "$serve\$negative" => '(int) -9223372036854775808',
    "$serve\$truth" => '(bool) true',
    "$serve\$lie" => '(bool) false',
    "$serve\$nothing" => 'null',
    "$serve\$undefined" => null,
    "$serve\$dynamic" => '(unknown)',
    "$serve\$dynamic->name" => '(string) "dynamic"',
    "$serve\$hash[-5]" => '(string) "minus five"',
    "$serve\$hash[007]" => '(string) "agent"',
    "$serve\$hash['gone']" => null,
    "$serve\$refers" => '(string) "agent"',
    "$serve\$this->id" => '(int) 42',
    "$serve\$this->level" => '(int) 7',
    "$serve\$this->list[2]" => '(int) 30',
    "$serve\$this->map[x][y]" => '(string) "deep"',
    "$serve\$this->map[3]" => '(float) 1.5',
    "$serve\$this->hits" => null,
    'local::App\again()$local' => '(string) "of again"',
    'local::App\busy()$i' => null,
    'local::<main>()$none' => 'null',
    'static::App\Shop::$hits' => '(int) 6',
    'static::app\shop::$inherited' => '(string) "from base"',
    'static::App\Shop::$untouched' => '(string) "initial"',
    'static::App\Shop::$id' => null,
    'static::App\Missing::$id' => null,
    'func_static::App\again()$attempts' => '(int) 4',
    'func_static::App\Shop::serve()$calls' => '(int) 1',
    'func_static::strlen()$x' => null]), "\n";
again();
