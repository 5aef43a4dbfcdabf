#!/usr/bin/env python3
"""Decodes a list of WebP files with Apache Spark, and prints a summary of the failures.

    pip install 'pyspark==4.*'          # needs Java 17 or later
    decode_files.py [--webp PROGRAM] [--master MASTER] LIST OUT [-- OPTIONS OF webp decode]

LIST has a path or an object key on each line. The outputs are in the folder OUT, under the same paths with the extension
png. OUT/results.jsonl has a JSON object for each line of the list: its key, and the error if there is one.

The engine distributes the keys, and repeats the tasks of workers that end. A repeated task, or a repeated run, skips
outputs that are newer than their inputs. An output exists at its path only when it is complete. Exit code: 1 if a file
failed.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

from pyspark.sql import SparkSession


def decode(key, webp, out, options):
    """Decodes one file, and returns its result.

    For an object store, replace the arguments of the command by `- -o -`, pass the object to its standard input, and
    store its standard output.
    """
    output = out / pathlib.PurePath(key.lstrip("/")).with_suffix(".png")
    output.parent.mkdir(parents=True, exist_ok=True)
    words = [webp, "decode", "-q", "--update", "--threads", "1", *options, "-o", output, "--", key]
    done = subprocess.run(words, capture_output=True)
    if done.returncode == 0:
        return {"key": key}
    if done.returncode < 0:
        # A signal ended the command. The engine repeats the task.
        raise RuntimeError(f"{key}: signal {-done.returncode}")
    return {"key": key, "error": done.stderr.decode(errors="replace").strip()}


def reason(error):
    """Returns an error without the path, the position and numbers, so that equal reasons have equal texts."""
    text = error.split(": ", 2)[-1].split(" (")[0]
    return "".join("N" if c.isdigit() else c for c in text)


def main():
    words, options = sys.argv[1:], []
    if "--" in words:
        words, options = words[: words.index("--")], words[words.index("--") + 1 :]
    parser = argparse.ArgumentParser()
    parser.add_argument("--webp", default="webp")
    parser.add_argument("--master", default="local[*,4]", help="the second number is the number of attempts")
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args(words)
    webp, out = arguments.webp, arguments.out.resolve()

    keys = arguments.list.read_text().splitlines()
    spark = SparkSession.builder.master(arguments.master).appName("webp").getOrCreate()
    # Small tasks: when a worker ends, only its task is repeated.
    tasks = max(1, len(keys) // 50)
    results = spark.sparkContext.parallelize(keys, tasks).map(lambda key: decode(key, webp, out, options)).collect()
    spark.stop()

    out.mkdir(parents=True, exist_ok=True)
    (out / "results.jsonl").write_text("".join(json.dumps(result) + "\n" for result in results))
    failures = [result for result in results if "error" in result]
    for text, count in collections.Counter(reason(result["error"]) for result in failures).most_common(10):
        print(f"{count:6}  {text}")
    print(f"{len(results) - len(failures)} decoded, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
