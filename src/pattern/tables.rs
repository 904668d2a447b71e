//! The tables beside the patterns (`patterns/tables/*.tsv`), parsed when first asked for.

use std::sync::OnceLock;

/// One tab-separated table with a header row.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

/// A row of a [`Table`].
#[derive(Clone, Copy, Debug)]
pub struct Row<'t> {
    table: &'t Table,
    cells: &'t [&'static str],
}

impl Table {
    fn parse(text: &'static str) -> Table {
        let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let columns = lines.next().unwrap_or("").split('\t').collect();
        Table { columns, rows: lines.map(|line| line.split('\t').collect()).collect() }
    }

    /// The rows in file order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { table: self, cells })
    }

    /// The first row whose `column` is `value`.
    pub fn find(&self, column: &str, value: &str) -> Option<Row<'_>> {
        self.rows().find(|row| row.get(column) == value)
    }

    pub fn columns(&self) -> &[&'static str] {
        &self.columns
    }
}

impl<'t> Row<'t> {
    /// The cell under `column`; empty where the row or table has none.
    pub fn get(&self, column: &str) -> &'static str {
        let at = self.table.columns.iter().position(|name| *name == column);
        at.and_then(|at| self.cells.get(at)).copied().unwrap_or("")
    }
}

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        /// All tables of the pattern set.
        #[derive(Debug, Default)]
        pub struct Tables { $($name: OnceLock<Table>,)* }

        impl Tables {
            $($(#[$doc])*
            pub fn $name(&self) -> &Table {
                self.$name.get_or_init(|| Table::parse(super::load::embedded(concat!("tables/", $file))))
            })*

            /// File name and table of each, for `explain` and the pages.
            pub fn all(&self) -> Vec<(&'static str, &Table)> {
                vec![$(($file, self.$name())),*]
            }
        }
    };
}

tables! {
    /// Chips: compute capability, example names, first and last driver branch.
    compute_capability = "compute-capability.tsv";
    /// CUDA releases and the driver that each needs.
    cuda_driver = "cuda-driver.tsv";
    /// CUDA error numbers and names.
    cuda_errors = "cuda-errors.tsv";
    dcgm_errors = "dcgm-errors.tsv";
    /// Driver branches and the newest CUDA that each offers.
    driver_branch = "driver-branch.tsv";
    /// Architectures inside the framework wheels.
    framework_arch = "framework-arch.tsv";
    /// Marketing names of cards (first match counts) and their compute capability.
    gpu_names = "gpu-names.tsv";
    nvrm_messages = "nvrm-messages.tsv";
    /// NV_STATUS codes.
    nvstatus = "nvstatus.tsv";
    rminit_known = "rminit-known.tsv";
    /// Source line of RmInitAdapter failures by driver version (open module).
    rminit_lines = "rminit-lines.tsv";
    rminit_stages = "rminit-stages.tsv";
    /// torch, torchvision, torchaudio, Python and CUDA builds that belong together.
    torch_compat = "torch-compat.tsv";
    xid_nvlink5 = "xid-nvlink5-decode.tsv";
    /// Xid and SXid codes.
    xid = "xid.tsv";
}
