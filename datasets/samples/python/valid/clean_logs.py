# Cleans up log files: a script as written on Windows, line breaks and all.
import gzip
import os
import re
import shutil
import time

LOG_DIR = r"C:\ProgramData\Service\Logs"
KEEP_DAYS = 14
PATTERN = re.compile(r'^(?P<day>\d{4}-\d{2}-\d{2})'
                     r'[ T](?P<time>[\d:.,]+) \[(?P<level>[A-Z]+)\] (?P<text>.*)$')

BANNER = """
Log cleaner
===========
"""


def log_files(folder):
    for root, folders, names in os.walk(folder):
        # do not go into the archive

        folders[:] = [f for f in folders if f.lower() != 'archive']
        for name in names:
            base, extension = os.path.splitext(name)
            if extension in ('.log', '.txt') and not base.startswith('~'):
                yield os.path.join(root, name)


def age_in_days(path, now=None):
    now = now if now is not None else time.time()
    return (now - os.path.getmtime(path)) / (24 * 60 * 60)


def compress(path):
    target = path + '.gz'
    with open(path, 'rb') as source, \
            gzip.open(target, 'wb') as sink:
        shutil.copyfileobj(source, sink)
    os.remove(path)
    return target


def count_levels(lines):
    counts = {}
    last = None
    for line in lines:
        found = PATTERN.match(line)
        if found:
            last = found.group('level')
            counts[last] = counts.get(last, 0) + 1
        elif last is not None:
            pass  # a continuation line belongs to the entry before
        else:
            counts['?'] = counts.get('?', 0) + 1
    return counts


def main(folder=LOG_DIR, dry_run=True):
    print(BANNER)
    done, failed = [], []
    for path in log_files(folder):
        if age_in_days(path) < KEEP_DAYS:
            continue
        try:
            if not dry_run:
                done.append(compress(path))
            else:
                done.append(path)
        except (OSError, EOFError) as error:
            failed.append((path, error))
    for path, error in failed:
        print('FAILED %s: %s'
              % (path, error))
    print(len(done), 'files,', \
          len(failed), 'failed')
    sample = '''2024-05-01 10:00:00,123 [INFO] started
2024-05-01 10:00:01,456 [ERROR] no disk
  at line 5
2024-05-01 10:00:02,789 [INFO] stopped'''
    print(count_levels(sample.splitlines()))
    return not failed


if __name__ == '__main__':
    main()
