"""Works for a while and rests for a while, again and again, and says twenty
times a second when it is and for how long it has worked: `now work` in ns."""
import sys
import time


def work(n):
    for i in range(n):
        i * i


def rest():
    time.sleep(0.008)


def main():
    clock = time.perf_counter
    start = clock()
    work(100000)
    loops = int(100000 * 0.004 / (clock() - start))
    worked = told = 0.0
    print('{"ready": 1}', flush=True)
    while True:
        begin = clock()
        work(loops)
        end = clock()
        worked += end - begin
        if end - told > 0.05:
            told = end
            sys.stdout.write('%d %d\n' % (time.monotonic() * 1e9,
                                          worked * 1e9))
            sys.stdout.flush()
        rest()


main()
