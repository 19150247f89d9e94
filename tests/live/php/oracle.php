<?php
// Busy, with calls of every kind: php oracle.php truth|run CALM. `truth` walks
// through everything once and says which calls there are, as lines of JSON:
// [caller, line, callee]. `run` runs until it is killed. CALM is how many
// times longer the innermost function works than it calls.
declare(strict_types=1);
namespace Oracle;

define('Oracle\TRUTH', $argv[1] === 'truth');
define('Oracle\CALM', (int)$argv[2]);

final class Truth
{
    public static $calls = [];

    public static function name($f): string
    {
        return $f === null ? '<main>'
            : (isset($f['class']) ? $f['class'] . '::' : '') . $f['function'];
    }

    /** The calls that led here. */
    public static function note(): int
    {
        $frames = array_slice(debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS), 1);
        foreach ($frames as $i => $f) {
            self::add(self::name($frames[$i + 1] ?? null), $f['line'] ?? -1,
                self::name($f));
        }
        return 0;
    }

    /** What stands between a call and __call for a moment. */
    public static function trampoline(string $name): int
    {
        $f = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS);
        self::add(self::name($f[2]), $f[1]['line'], $f[1]['class'] . "::$name");
        return 0;
    }

    public static function add(string $caller, int $line, string $callee)
    {
        self::$calls["$caller $line $callee"] = [$caller, $line, $callee];
    }
}

interface Step { public function run(int $n): int; }

final class Leaf implements Step
{
    private $seen = [];

    public function run(int $n): int
    {
        TRUTH && Truth::note();
        $s = \str_repeat(\chr(97 + $n % 26), 20) . $n;
        $h = \crc32(\strrev($s)) ^ \strlen(\md5($s));
        $p = \explode('a', \implode('a', \str_split($s, 3)));
        for ($t = 0, $i = 0; $i < 60 * CALM; $i++) {
            $t += ($i * $n) % 7;
            $t ^= $i;
        }
        $this->seen[$n & 63] = $h;
        return ($h ^ $t ^ \count($p)) & 0xffff;
    }
}

abstract class Node implements Step
{
    protected $next;
    public function __construct(Step $next) { $this->next = $next; }
}

final class Mapped extends Node
{
    public function run(int $n): int
    {
        TRUTH && Truth::note();
        $xs = \array_map(function (int $x) use ($n): int {
            TRUTH && Truth::note();
            return $x * 2 + $n;
        }, [1, 2, 3]);
        return (\array_sum($xs) + $this->next->run($n)) & 0xffff;
    }
}

final class Closed extends Node
{
    public function run(int $n): int
    {
        TRUTH && Truth::note();
        $f = function (int $k) use ($n): int {
            TRUTH && Truth::note();
            return $this->next->run($k + $n);
        };
        return $f(1) & 0xffff;
    }
}

final class Generated extends Node
{
    private function seq(int $n): \Generator
    {
        TRUTH && Truth::note();
        for ($i = 0; $i < 2; $i++) {
            yield $i => $this->next->run($n + $i);
        }
    }

    public function run(int $n): int
    {
        TRUTH && Truth::note();
        $t = 0;
        foreach ($this->seq($n) as $v) {
            $t += $v;
        }
        return $t & 0xffff;
    }
}

final class Sorted extends Node
{
    public function run(int $n): int
    {
        TRUTH && Truth::note();
        $a = [$n, $n ^ 5, $n ^ 9, 3];
        \usort($a, static function (int $x, int $y): int {
            TRUTH && Truth::note();
            return $x <=> $y;
        });
        return ($a[0] + $this->next->run($n)) & 0xffff;
    }
}

final class Magic extends Node
{
    public function __call(string $name, array $args): int
    {
        TRUTH && Truth::note() + Truth::trampoline($name);
        return $this->next->run($args[0]);
    }

    public function run(int $n): int
    {
        TRUTH && Truth::note();
        return $this->anything($n) & 0xffff;
    }
}

final class Called extends Node
{
    public static function twist(int $n): int
    {
        TRUTH && Truth::note();
        return ($n << 1) ^ ($n >> 3);
    }

    public function run(int $n): int
    {
        TRUTH && Truth::note();
        return self::twist(
            \call_user_func_array([$this->next, 'run'], [$n])
        ) & 0xffff;
    }
}

function recurse(int $d, Step $s, int $n): int
{
    TRUTH && Truth::note();
    return $d === 0 ? $s->run($n) : recurse($d - 1, $s, $n) + 1;
}

/** Calls of internal functions: every `\name(` of this file, by the function
 * around it. */
function find_internals()
{
    $class = $function = '';
    foreach (\file(__FILE__) as $i => $line) {
        if (\preg_match('/^(?:final |abstract )?class (\w+)/', $line, $m)) {
            $class = $m[1];
        }
        if (\preg_match('/function (\w+)\(/', $line, $m)) {
            $function = $m[1];
        }
        \preg_match_all('/\\\\([a-z_0-9]+)\(/', $line, $m);
        foreach ($m[1] as $name) {
            Truth::add("Oracle\\$class::$function", $i + 1, $name);
        }
    }
}

$step = new Leaf();
foreach (['Mapped', 'Closed', 'Generated', 'Called', 'Sorted', 'Magic',
          'Closed', 'Generated', 'Called', 'Closed'] as $name) {
    $name = 'Oracle\\' . $name;
    $step = new $name($step);
}
if (!TRUTH) {
    echo "{}\n";
}
for ($n = 0; ; $n++) {
    recurse(8, $step, $n);
    if (TRUTH) {
        find_internals();
        foreach (Truth::$calls as $call) {
            echo '["', \addcslashes($call[0], '\\'), '", ', $call[1], ', "',
                \addcslashes($call[2], '\\'), "\"]\n";
        }
        exit;
    }
}
