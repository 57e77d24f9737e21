//! The command line of the binaries `formats` and `json`, and of `benchmarks packed`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::loops::Loop;
use crate::record::Record;
use crate::report;

/// What is asked of a binary.
#[derive(Clone, Debug)]
pub struct Plan<S> {
    /// Of these payloads, or workloads.
    pub subjects: Vec<S>,
    /// Of these libraries, or formats; all for none.
    pub libraries: Vec<String>,
    /// These tasks; all for none.
    pub tasks: Vec<String>,
    /// So many samples of each.
    pub rounds: usize,
}

impl<S> Plan<S> {
    /// All that there is to ask of these, with so many samples.
    pub fn of(subjects: impl Into<Vec<S>>, rounds: usize) -> Self {
        Plan { subjects: subjects.into(), libraries: Vec::new(), tasks: Vec::new(), rounds }
    }

    pub(crate) fn asks(&self, one: &Loop) -> bool {
        let among = |names: &[String], name| names.is_empty() || names.iter().any(|known| known == name);
        among(&self.libraries, one.library) && among(&self.tasks, one.task)
    }
}

/// Makes a record of what is asked.
type Measure<S> = fn(&Plan<S>) -> Result<Record, Box<dyn Error>>;

/// One operation of a library so many times, by subject, task, library and a part of the variant's name.
type Repeat<S> = fn(S, &str, &str, &str, u32) -> Result<(), Box<dyn Error>>;

/// A binary that times loops side by side.
#[derive(Clone, Copy, Debug)]
pub struct Program<S: 'static> {
    /// Its usage.
    pub help: &'static str,
    /// The option that names a subject, and the one that names a library.
    pub options: [&'static str; 2],
    /// Every subject.
    pub all: &'static [S],
    /// The subject of a name.
    pub named: fn(&str) -> Option<S>,
    /// Times the loops.
    pub record: Measure<S>,
    /// Runs one operation alone.
    pub repeat: Repeat<S>,
    /// What has to be said above the table.
    pub remark: &'static str,
}

impl<S: Copy> Program<S> {
    /// Does what the command line says.
    pub fn run(&self) -> ExitCode {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match self.obey(&arguments) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        }
    }

    /// Does what these arguments say.
    ///
    /// # Errors
    ///
    /// When they say nothing that is known, an answer is wrong, or the record cannot be written.
    pub fn obey(&self, arguments: &[&str]) -> Result<(), Box<dyn Error>> {
        match arguments {
            ["help" | "--help" | "-h"] => {
                print!("{}", self.help);
                Ok(())
            }
            ["callgrind", library, subject, task, variant, times] => {
                self.subject(subject).and_then(|subject| (self.repeat)(subject, task, library, variant, times.parse()?))
            }
            options => self.tabulate(options),
        }
    }

    fn subject(&self, name: &str) -> Result<S, Box<dyn Error>> {
        (self.named)(name).ok_or_else(|| format!("nothing is named {name:?}\n\n{}", self.help).into())
    }

    fn tabulate(&self, options: &[&str]) -> Result<(), Box<dyn Error>> {
        let (plan, files) = self.plan(options)?;
        if cfg!(debug_assertions) {
            eprintln!("warning: a debug build; its times say nothing. Use `cargo run --release`.");
        }
        let record = (self.record)(&plan)?;
        for (name, value) in &record.machine {
            println!("{name:<17}{value}");
        }
        println!("\n{}\n{}", report::settings(&record), self.remark);
        print!("{}", report::table(&record));
        for gap in &record.gaps {
            println!("{gap}");
        }
        for file in files {
            std::fs::write(&file, record.csv()).map_err(|error| format!("{}: {error}", file.display()))?;
            println!("Record: {}", file.display());
        }
        Ok(())
    }

    fn plan(&self, mut options: &[&str]) -> Result<(Plan<S>, Vec<PathBuf>), Box<dyn Error>> {
        let [subject, library] = self.options;
        let (mut plan, mut files) = (Plan::of([], 41), Vec::new());
        loop {
            options = match options {
                [] => break,
                ["quick", rest @ ..] => {
                    plan.rounds = 7;
                    rest
                }
                [option, name, rest @ ..] if *option == subject => {
                    plan.subjects.push(self.subject(name)?);
                    rest
                }
                [option, name, rest @ ..] if *option == library => {
                    plan.libraries.push((*name).into());
                    rest
                }
                ["--task", name, rest @ ..] => {
                    plan.tasks.push((*name).into());
                    rest
                }
                ["--rounds", number, rest @ ..] => {
                    plan.rounds =
                        number.parse::<usize>().map_err(|error| format!("--rounds {number}: {error}"))?.max(1);
                    rest
                }
                ["--record", file, rest @ ..] => {
                    files.push(PathBuf::from(file));
                    rest
                }
                unknown => return Err(format!("unknown arguments {unknown:?}\n\n{}", self.help).into()),
            };
        }
        if plan.subjects.is_empty() {
            plan.subjects = self.all.to_vec();
        }
        Ok((plan, files))
    }
}
