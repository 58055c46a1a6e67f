"""What a tutorial or how-to page shows works as shown: run_page.py PAGE FOLDER [FILES]. In FOLDER, in the order of the page,

- a block ```yaml NAME (or another language with a name behind it) becomes the file NAME; where FILES has it the texts must be the same, but for
  the head of comments;
- the lines of a block ```sh are run, exit code 0 unless the line's comment says "exit code N"; numbers with a decimal point in its comment must be
  printed by it, to the digits they are written with;
- the lines of a block ```text behind it must be printed by these commands: words as they stand, numbers to 2 of their last digit, "..." for
  any words.
"""
import os
import re
import subprocess
import sys

page, folder = sys.argv[1:3]
files = sys.argv[3] if len(sys.argv) > 3 else None
number = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\d)")
failures = 0


def fail(text):
    global failures
    failures += 1
    print(f"FAILED: {page}: {text}")


def unit(text):
    """One unit of the last digit that a number is written with."""
    mantissa, _, power = text.partition("e")
    return 10.0 ** ((int(power) if power else 0) - len(mantissa.partition(".")[2]))


def alike(shown, printed, digits):
    """Is a word printed as it is shown? Numbers may differ by so many units of their last digit."""
    if shown == printed:
        return True
    x, y = number.findall(shown), number.findall(printed)
    if not x or len(x) != len(y) or number.sub("#", shown) != number.sub("#", printed):
        return False
    return all(abs(float(p) - float(q)) <= digits * unit(p) * 1.0001 for p, q in zip(x, y))


def same(shown, printed, digits):
    """The same of lists of words, in which "..." stands for any words."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(same(shown[1:], printed[i:], digits) for i in range(len(printed) + 1))
    return bool(printed) and alike(shown[0], printed[0], digits) and same(shown[1:], printed[1:], digits)


def head_off(text):
    """Without the comments that models of examples begin with."""
    return re.sub(r"\A(#.*\n)+", "", text)


def write(name, text):
    if files and os.path.exists(os.path.join(files, name)):
        with open(os.path.join(files, name)) as kept:
            if head_off(kept.read()) != text:
                fail(f"{name} is not what {files} has")
    with open(os.path.join(folder, name), "w") as out:
        out.write(text)


def run(line):
    """Runs a line; what it printed."""
    comment = re.search(r"\s#\s(.*)", line)
    comment = comment.group(1) if comment else ""
    want = re.search(r"exit code (\d+)", comment)
    done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=600)
    said = done.stdout + done.stderr
    if done.returncode != (int(want.group(1)) if want else 0):
        fail(f"'{line}' ends with {done.returncode}:\n{said[-800:]}")
    for shown in re.findall(r"(?<![\w.])-?\d+\.\d+(?:e[-+]?\d+)?", comment):
        if not any(abs(float(x) - float(shown)) <= 0.5001 * unit(shown) for x in number.findall(said)):
            fail(f"'{line}' does not print {shown}:\n{said[-800:]}")
    return said


def blocks(text):
    for m in re.finditer(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", text, re.M | re.S):
        yield m.group(1), m.group(2), m.group(3)


said, commands = "", 0
with open(page) as source:
    for language, name, text in blocks(source.read()):
        if name:
            write(name, text)
        elif language == "sh":
            lines = [line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
            said = "".join(run(line) + "\n" for line in lines)
            commands += len(lines)
        elif language == "text":
            for shown in text.splitlines():
                if shown.strip() not in ("", "...") and not any(same(shown.split(), line.split(), 2) for line in said.splitlines()):
                    fail(f"not printed: {shown}\n--- printed:\n{said[-600:]}")
if not commands:
    fail("no commands are shown")
print(f"{page}: {commands} commands, {failures} failed")
sys.exit(failures > 0)
