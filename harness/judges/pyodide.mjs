// Runs a Python program in Pyodide, CPython compiled to WebAssembly: node pyodide.mjs MODULE PROGRAM, where MODULE is
// the path of Pyodide's own pyodide.mjs. Standard input and output are the program's.
import { readSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, program] = process.argv.slice(-2);
const { loadPyodide } = await import(pathToFileURL(module).href);
const python = await loadPyodide();
python.setStdin({ read: (buffer) => readSync(0, buffer, 0, buffer.length), isatty: false });
python.setStdout({ write: (buffer) => writeSync(1, buffer, 0, buffer.length), isatty: false });
python.setStderr({ write: (buffer) => writeSync(2, buffer, 0, buffer.length), isatty: false });
python.runPython(program);
