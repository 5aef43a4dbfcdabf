#!/usr/bin/env python3
"""Decodes a list of WebP files with Apache Spark, and prints a summary of the failures.

    pip install 'pyspark==4.*'          # needs Java 17 or later
    decode_files.py [--webp PROGRAM] [--master MASTER] LIST OUT [-- OPTIONS OF webp decode]

LIST has a path on each line. The outputs are in the folder OUT, under the same paths with the extension png.
OUT/results.jsonl has a JSON object for each line of the list: its key, and the error and its kind if there is one.

The engine distributes the keys, 50 to a task, and repeats the tasks of workers that end. A task is also repeated, on
another worker if there is one, if the machine is at fault: its disk is full, for example. A repeated task, or a repeated
run, skips outputs that are not older than their inputs. An output exists at its path only when it is complete.

Exit code: 75 if a machine was still at fault in the last attempt, 1 if files failed otherwise.
"""

import argparse
import base64
import collections
import json
import os
import pathlib
import subprocess
import sys

from pyspark import TaskContext
from pyspark.sql import SparkSession

ATTEMPTS = 4
KEYS_PER_TASK = 50


def decode(keys, webp, out, options):
    """Decodes some files in one process, and returns their results.

    For an object store, download the objects to a folder, run the command there, and upload its outputs.
    """
    words = [webp, "decode", "-q", "--update", "--threads", "1", "--json-lines", *options, "--files-from", "-", "-o", out]
    done = subprocess.run(words, input=b"\0".join(keys), capture_output=True)
    # Files without a result: the process was ended, or the disk is full and the batch has ended.
    kind = "invalidOptions" if done.returncode == 64 else "system"
    message = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
    results = {key: {"key": os.fsdecode(key), "error": message[0], "kind": kind} for key in keys}
    for line in done.stdout.splitlines():
        result = json.loads(line)
        key = base64.b64decode(result["fileBase64"]) if "fileBase64" in result else result["file"].encode()
        results[key] = {"key": os.fsdecode(key)} | {name: result[name] for name in ("error", "kind") if name in result}
    failures = [result["error"] for result in results.values() if result.get("kind") == "system"]
    if failures and TaskContext.get().attemptNumber() + 1 < ATTEMPTS:
        raise RuntimeError(f"{len(failures)} failures of the machine: {failures[0]}")
    return list(results.values())


def reason(result):
    """Returns the kind and the error without positions and numbers, so that equal reasons have equal texts."""
    return result["kind"] + ": " + "".join("N" if c.isdigit() else c for c in result["error"].split(" (")[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--webp", default="webp")
    parser.add_argument("--master", default=f"local[*,{ATTEMPTS}]", help="the second number is the number of attempts")
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("options", nargs="*", help="options of webp decode, after --")
    arguments = parser.parse_args()
    webp, out, options = arguments.webp, arguments.out.resolve(), arguments.options

    # Paths are bytes: file systems do not demand UTF-8.
    keys = list(dict.fromkeys(filter(None, arguments.list.read_bytes().splitlines())))
    outputs = collections.Counter(os.path.splitext(key)[0] for key in keys)
    if equal := [os.fsdecode(name) for name, count in outputs.items() if count > 1]:
        print(f"{len(equal)} outputs belong to several keys, such as {equal[0]}.png", file=sys.stderr)
        sys.exit(64)

    builder = SparkSession.builder.master(arguments.master).appName("webp").config("spark.task.maxFailures", ATTEMPTS)
    if not arguments.master.startswith("local["):
        # An attempt follows on another worker.
        builder = builder.config("spark.excludeOnFailure.enabled", "true")
    spark = builder.getOrCreate()
    parts = [keys[start : start + KEYS_PER_TASK] for start in range(0, len(keys), KEYS_PER_TASK)]
    results = []
    if parts:
        tasks = spark.sparkContext.parallelize(parts, len(parts))
        results = tasks.flatMap(lambda part: decode(part, webp, f"{out}/", options)).collect()
    spark.stop()

    out.mkdir(parents=True, exist_ok=True)
    (out / "results.jsonl").write_text("".join(json.dumps(result) + "\n" for result in results))
    failures = [result for result in results if "error" in result]
    for text, count in collections.Counter(map(reason, failures)).most_common(10):
        print(f"{count:6}  {text}")
    machine = sum(result["kind"] == "system" for result in failures)
    print(f"{len(results) - len(failures)} decoded, {len(failures) - machine} failed, {machine} failed on their machine")
    sys.exit(75 if machine else 1 if failures else 0)


if __name__ == "__main__":
    main()
