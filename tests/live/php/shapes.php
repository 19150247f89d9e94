<?php
// Sleeps in a stack of known shape: php shapes.php SHAPE [N]. Before that it
// says, as a line of JSON, what its stack is: [name, file, line], innermost
// first, as the interpreter itself sees it.
namespace Shape;

function name(array $frame): string
{
    $function = $frame['function'];
    if (!isset($frame['class'])
        && in_array($function, ['include', 'require', 'eval', 'require_once'])) {
        return '<main>';
    }
    return isset($frame['class'])
        ? strstr($frame['class'] . "\0", "\0", true) . '::' . $function
        : $function;
}

function rest()
{
    $frames = debug_backtrace(0);
    $stack = [['sleep', '<internal>', -1], [name($frames[0]), __FILE__, 0]];
    foreach ($frames as $i => $frame) {
        // What PHP itself calls at the end has no caller.
        if (isset($frames[$i + 1]) || isset($frame['file'])) {
            $stack[] = [
                isset($frames[$i + 1]) ? name($frames[$i + 1]) : '<main>',
                $frame['file'] ?? '<internal>', $frame['line'] ?? -1];
        }
    }
    $stack[1][2] = __LINE__ + 2;
    fwrite(STDOUT, '{"stack": ' . json($stack) . "}\n");
    sleep(120);
}

// Extensions may be missing.
function json($v): string
{
    return is_array($v) ? '[' . implode(', ', array_map('Shape\json', $v)) . ']'
        : (is_int($v) ? (string)$v : '"' . addcslashes($v, '\\"') . '"');
}

function recurse(int $n)
{
    return $n > 1 ? recurse($n - 1) + 1 : rest();
}

class Base
{
    public $kept;

    public static function make(): self
    {
        return new static(
            3
        );
    }

    public function __construct(int $n)
    {
        $this->kept = $n;
        rest();
    }
}

final class Derived extends Base
{
}

class Magic
{
    public function __call($name, $args) { return rest(); }
    public static function __callStatic($name, $args) { return rest(); }
    public function __get($name) { return rest(); }
    public function __toString() { rest(); return ''; }
    public function __invoke($x) { return rest(); }
    public function __destruct() { if (isset($this->last)) { rest(); } }
    public $last;
}

class Box implements \ArrayAccess, \IteratorAggregate
{
    #[\ReturnTypeWillChange]
    public function offsetExists($k) { return true; }
    #[\ReturnTypeWillChange]
    public function offsetGet($k) { return rest(); }
    #[\ReturnTypeWillChange]
    public function offsetSet($k, $v) { }
    #[\ReturnTypeWillChange]
    public function offsetUnset($k) { }
    #[\ReturnTypeWillChange]
    public function getIterator() { yield rest(); }
}

function numbers(int $n)
{
    if ($n === 0) {
        yield rest();
    }
    yield from numbers($n - 1);
}

function once()
{
    yield 1;
    rest();
}

$n = (int)($argv[2] ?? 3);
$shapes = [
    'main' => function () { rest(); },
    'recursion' => function () use ($n) { recurse($n); },
    'closure' => function () {
        $f = function () {
            return (static function () { return rest(); })();
        };
        $f();
    },
    'internal' => function () {
        array_map(function ($x) { usort($x, function ($a, $b) {
            return call_user_func_array('Shape\recurse', [2]);
        }); }, [[1, 2]]);
    },
    'constructor' => function () { Derived::make(); },
    'call' => function () { (new Magic())->anything(1); },
    'call_static' => function () { Magic::anything(1); },
    'get' => function () { return (new Magic())->nothing; },
    'to_string' => function () { return 'a' . new Magic(); },
    'invoke' => function () { array_filter([1], new Magic()); },
    'destructor' => function () {
        $m = new Magic();
        $m->last = 1;
        $m = null;
    },
    'array_access' => function () { $b = new Box(); return $b['k']; },
    'iterator' => function () { foreach (new Box() as $v) { } },
    'generator' => function () { foreach (once() as $v) { } },
    'delegation' => function () { foreach (numbers(4) as $v) { } },
    'anonymous' => function () {
        (new class { function run() { rest(); } })->run();
    },
    'error_handler' => function () {
        set_error_handler(function () { rest(); });
        return $undefined . 'x';
    },
    'exception' => function () {
        try {
            throw new \RuntimeException('x');
        } catch (\Exception $e) {
            rest();
        } finally {
            $x = 1;
        }
    },
    'include' => function () { include __DIR__ . '/included.php'; },
    'eval' => function () { eval("\n\nShape\\recurse(2);"); },
    'output' => function () {
        ob_start(function ($s) { rest(); return $s; });
        echo 'x';
        ob_end_flush();
    },
    'autoload' => function () {
        spl_autoload_register(function ($name) { rest(); });
        return new Missing();
    },
    'fiber' => function () {
        $f = new \Fiber(function () {
            $g = new \Fiber(function () { recurse(3); });
            $g->start();
        });
        $f->start();
    },
    'resumed_fiber' => function () {
        $f = new \Fiber(function () { \Fiber::suspend(1); rest(); });
        $f->start();
        $f->resume();
    },
    'shutdown' => function () {
        register_shutdown_function(function () { rest(); });
    },
];
$shapes[$argv[1]]();
