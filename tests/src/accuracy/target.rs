//! What runs programs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use optirs_gpu::rule::{self, cpu::Instructions};

use super::record::BackEnd;
use crate::browser::{Browser, Module};
use crate::compiled::{Case, rules};
use crate::kernels::cpu::Launch;
use crate::kernels::gpu::{self, Gpu};
use crate::kernels::{Arena, Buffers, Source, shim, unite};

/// A program of a rule, in every form that a target may want.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The program.
    pub case: Case<'a>,
    /// Its place among all programs of [`rules`].
    pub number: usize,
    /// The variant as the macro expanded it.
    pub variant: &'static rule::Variant,
    /// The program as the macro expanded it.
    pub program: &'static rule::Program,
}

/// Something that runs programs on the buffers of the kernel ABI.
pub trait Target {
    /// Which of the generated codes it runs.
    fn back_end(&self) -> BackEnd;
    /// The device with its driver or compiler, and their versions.
    fn device(&self) -> String;
    /// Whether the device is a mere program, which runs on every machine.
    fn is_software(&self) -> bool {
        true
    }
    /// The buffers after the program's kernels.
    ///
    /// # Errors
    /// What the back end says where it cannot run them.
    fn run(&mut self, subject: &Subject<'_>, arena: &Arena<'_>, buffers: &Buffers) -> Result<Buffers, String>;
}

/// The generated CPU code, as it is built into this program.
pub struct Cpu;

impl Target for Cpu {
    fn back_end(&self) -> BackEnd {
        BackEnd::Cpu
    }

    fn device(&self) -> String {
        format!("{}, rustc", std::env::consts::ARCH)
    }

    fn run(&mut self, subject: &Subject<'_>, _: &Arena<'_>, buffers: &Buffers) -> Result<Buffers, String> {
        let mut roles = buffers.clone();
        Launch {
            variant: subject.variant,
            program: subject.program,
            instructions: Instructions::widest(),
            roles: &mut roles,
        }
        .run();
        Ok(roles)
    }
}

/// The Metal sources, compiled as C++.
pub struct Metal {
    executable: PathBuf,
}

impl Metal {
    /// Compiles those of all rules, into a folder.
    ///
    /// # Errors
    /// The compiler's report.
    pub fn compile(folder: &Path) -> Result<Self, String> {
        let rules = rules();
        let sources: Vec<_> = rules.iter().flat_map(|rule| rule.cases()).map(Source::of).collect();
        Ok(Self { executable: shim::compile(folder, "kernels", &unite(&sources))? })
    }
}

impl Target for Metal {
    fn back_end(&self) -> BackEnd {
        BackEnd::Metal
    }

    fn device(&self) -> String {
        format!("{}, {}", std::env::consts::ARCH, shim::compiler_version())
    }

    fn run(&mut self, subject: &Subject<'_>, arena: &Arena<'_>, buffers: &Buffers) -> Result<Buffers, String> {
        Ok(shim::launch(&self.executable, subject.number, subject.case, arena, buffers))
    }
}

/// WGSL through wgpu and Vulkan.
pub struct Vulkan {
    gpu: Gpu,
    compiled: HashMap<usize, gpu::Compiled>,
}

impl Vulkan {
    /// The first device whose name holds this.
    ///
    /// # Errors
    /// That there is none.
    pub fn open(name: &str) -> Result<Self, String> {
        Ok(Self { gpu: Gpu::named(name)?, compiled: HashMap::new() })
    }
}

impl Target for Vulkan {
    fn back_end(&self) -> BackEnd {
        BackEnd::Vulkan
    }

    fn device(&self) -> String {
        self.gpu.name().to_owned()
    }

    fn is_software(&self) -> bool {
        self.gpu.is_software()
    }

    fn run(&mut self, subject: &Subject<'_>, arena: &Arena<'_>, buffers: &Buffers) -> Result<Buffers, String> {
        if !self.compiled.contains_key(&subject.number) {
            self.compiled.insert(subject.number, self.gpu.compile(subject.case)?);
        }
        self.gpu.run(&self.compiled[&subject.number], subject.case, arena, buffers)
    }
}

/// WGSL in Chromium.
impl Target for Browser {
    fn back_end(&self) -> BackEnd {
        BackEnd::Browser
    }

    fn device(&self) -> String {
        self.name().to_owned()
    }

    fn run(&mut self, subject: &Subject<'_>, arena: &Arena<'_>, buffers: &Buffers) -> Result<Buffers, String> {
        self.launch(&Module::of(subject.case), arena, buffers)
    }
}
