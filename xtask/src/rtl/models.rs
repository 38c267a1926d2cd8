//! The register-transfer models: their sources from the package registry, built by Verilator.
//!
//! Everything is under `target/rtl`. What is there is not fetched or built again.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::programs::Program;
use super::simulated::Trace;

/// The sources of this folder that go around a core.
const SOURCES: [(&str, &str); 5] = [
    ("bench.h", include_str!("bench.h")),
    ("ibex.sv", include_str!("ibex.sv")),
    ("ibex.cpp", include_str!("ibex.cpp")),
    ("vexriscv.v", include_str!("vexriscv.v")),
    ("vexriscv.cpp", include_str!("vexriscv.cpp")),
];

/// The modules of an Ibex without the options that it hasn't here.
const IBEX: [&str; 20] = [
    "alu",
    "branch_predict",
    "compressed_decoder",
    "controller",
    "counter",
    "cs_registers",
    "csr",
    "decoder",
    "ex_block",
    "fetch_fifo",
    "id_stage",
    "if_stage",
    "load_store_unit",
    "multdiv_fast",
    "multdiv_slow",
    "pmp",
    "prefetch_buffer",
    "register_file_ff",
    "wb_stage",
    "core",
];

/// What an Ibex includes by name.
const INCLUDED: [&str; 10] = [
    "prim_assert.sv",
    "prim_assert_dummy_macros.svh",
    "prim_assert_sec_cm.svh",
    "prim_assert_standard_macros.svh",
    "prim_assert_yosys_macros.svh",
    "prim_flop_macros.sv",
    "prim_onehot_check.sv",
    "prim_onehot_enc.sv",
    "prim_onehot_mux.sv",
    "prim_secded_inv_39_32_dec.sv",
];

/// A model that waits for programs.
#[derive(Debug)]
pub struct Bench {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Bench {
    /// Runs a program.
    ///
    /// # Errors
    /// The model has ended, or says something else than what it is asked.
    pub fn run(&mut self, program: &Program) -> Result<Trace> {
        let trace = self.raw(program)?;
        Ok(program.comparable(trace))
    }

    /// Runs a program; returns all that the model answers, with its own count of cycles.
    ///
    /// # Errors
    /// Those of [`Bench::run`].
    pub fn raw(&mut self, program: &Program) -> Result<Trace> {
        writeln!(self.input, "{}", program.line()).context("the model takes no program")?;
        self.input.flush().context("the model takes no program")?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        let trace = Trace::parse(answer.trim());
        trace.with_context(|| format!("the model answers {answer:?}"))
    }
}

/// Fetches, builds and starts the model of a core.
///
/// # Errors
/// pip or Verilator is missing, or a wheel is, or the model does not build.
pub fn start(core: &str) -> Result<Bench> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/rtl");
    let binary = build(&root, core)?;
    let mut child = Command::new(&binary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} does not start", binary.display()))?;
    let input = child.stdin.take().context("a model has an input")?;
    let output = BufReader::new(child.stdout.take().context("a model has an output")?);
    Ok(Bench { child, input, output })
}

/// Runs a tool, whose output goes to a file.
fn tool(command: &mut Command, log: &Path, package: &str) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = std::fs::File::create(log)?;
    let status = command.stdout(output.try_clone()?).stderr(output).status();
    let Ok(status) = status else {
        bail!("{name} is not installed: install the package {package}");
    };
    ensure!(status.success(), "{name} fails: see {}", log.display());
    Ok(())
}

/// Fetches a wheel by its name and unpacks it.
fn wheel(root: &Path, package: &str) -> Result<PathBuf> {
    let folder = root.join(package);
    if folder.is_dir() {
        return Ok(folder);
    }
    let fetched = root.join(format!("{package}.fetched"));
    std::fs::create_dir_all(&fetched)?;
    eprintln!("fetching {package}");
    let mut pip = Command::new("pip");
    pip.args(["install", "--no-deps", "--no-compile", "--quiet", "--target"]);
    pip.arg(&fetched).arg(package);
    let log = root.join(format!("{package}.log"));
    tool(&mut pip, &log, "python3-pip").with_context(|| format!("the wheel {package}"))?;
    std::fs::rename(&fetched, &folder)?;
    Ok(folder)
}

fn build(root: &Path, core: &str) -> Result<PathBuf> {
    std::fs::create_dir_all(root)?;
    let objects = root.join(core);
    let binary = objects.join("bench");
    for (name, text) in SOURCES {
        let path = root.join(name);
        if std::fs::read_to_string(&path).ok().as_deref() != Some(text) {
            std::fs::write(&path, text)?;
        }
    }
    let changed = |path: &Path| path.metadata().and_then(|it| it.modified()).ok();
    let newest = SOURCES.iter().filter_map(|(name, _)| changed(&root.join(name))).max();
    if changed(&binary) > newest {
        return Ok(binary);
    }
    let mut verilator = Command::new("verilator");
    let flags = format!("-O2 -I{}", root.canonicalize()?.display());
    verilator.args(["--cc", "--exe", "--build", "-O3", "-Wno-fatal", "-Wno-lint", "-Wno-style"]);
    verilator.args(["-CFLAGS", &flags, "--top-module", "bench", "-o", "bench", "--Mdir"]);
    verilator.arg(&objects);
    match core {
        "vexriscv-imac" => vexriscv(&mut verilator, root, "IMAC")?,
        "vexriscv-secure" => vexriscv(&mut verilator, root, "Secure")?,
        "ibex-small" => ibex(&mut verilator, root, ["0", "RV32MFast", "0", "0"])?,
        _ => ibex(&mut verilator, root, ["1", "RV32MSingleCycle", "1", "1"])?,
    }
    eprintln!("building {core}");
    let log = root.join(format!("{core}.log"));
    tool(&mut verilator, &log, "verilator")?;
    Ok(binary)
}

fn vexriscv(verilator: &mut Command, root: &Path, variant: &str) -> Result<()> {
    let wheel = wheel(root, "pythondata-cpu-vexriscv")?;
    let source = format!("pythondata_cpu_vexriscv/verilog/VexRiscv_{variant}.v");
    verilator.arg(root.join("vexriscv.v")).arg(wheel.join(source));
    verilator.arg(root.join("vexriscv.cpp").canonicalize()?);
    Ok(())
}

fn ibex(verilator: &mut Command, root: &Path, options: [&str; 4]) -> Result<()> {
    let wheel = wheel(root, "pythondata-cpu-ibex")?.join("pythondata_cpu_ibex/system_verilog");
    let cells = wheel.join("vendor/lowrisc_ip/ip/prim/rtl");
    // The folder of all cells would give modules that need more modules.
    let included = root.join("ibex-included");
    std::fs::create_dir_all(&included)?;
    for name in INCLUDED {
        std::fs::copy(cells.join(name), included.join(name))
            .with_context(|| format!("the wheel has no {name}"))?;
    }
    verilator.args(["-DRVFI", "-DSYNTHESIS"]);
    for (name, value) in
        ["PROTECTION", "MULTIPLIER", "BRANCH_ADDER", "WRITEBACK"].iter().zip(options)
    {
        verilator.arg(format!("-D{name}={value}"));
    }
    verilator.arg(format!("-I{}", included.display()));
    verilator.arg(format!("-I{}", wheel.join("vendor/lowrisc_ip/dv/sv/dv_utils").display()));
    verilator.args(["prim_ram_1p_pkg.sv", "prim_secded_pkg.sv"].map(|name| cells.join(name)));
    verilator.arg(wheel.join("rtl/ibex_pkg.sv"));
    verilator.args(IBEX.map(|name| wheel.join(format!("rtl/ibex_{name}.sv"))));
    verilator.arg(wheel.join("rtl/ibex_top.sv")).arg(root.join("ibex.sv"));
    verilator.arg(root.join("ibex.cpp").canonicalize()?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_is_told_with_its_package() {
        let log = std::env::temp_dir().join("quintet-rtl-missing.log");
        let mut missing = Command::new("quintet-no-such-tool");
        let message = tool(&mut missing, &log, "no-such-package").unwrap_err().to_string();
        assert_eq!(
            message,
            "quintet-no-such-tool is not installed: install the package no-such-package"
        );
        let message = tool(&mut Command::new("false"), &log, "coreutils").unwrap_err().to_string();
        assert_eq!(message, format!("false fails: see {}", log.display()));
        let _ = std::fs::remove_file(log);
    }
}
