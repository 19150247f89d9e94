<?php
// Methods with names that never were before, for ever: what is remembered of
// names must not grow with them. The lines of closures differ, too.
echo "{}\n";
for ($n = 0; ; $n++) {
    $made = eval(str_repeat("\n", $n % 500) . "return new class {
        function made_$n() {
            \$f = function () {
                for (\$s = \$i = 0; \$i < 500; \$i++) { \$s += \$i; }
                return md5(\$s);
            };
            return \$f();
        }
    };");
    for ($i = 0; $i < 20; $i++) {
        $made->{"made_$n"}();
    }
}
