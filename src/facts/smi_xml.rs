//! `nvidia-smi -q -x`: the same sections as elements, one on a line.

use super::reader::{Line, Reader, caps, first, re};
use super::smi_query::{Query, entry};
use super::smi_table::identity;

/// Reads the elements as keys under their open elements.
pub fn read(reader: &mut Reader) {
    let mut query = Query::default();
    let mut path: Vec<String> = Vec::new();
    for line in reader.lines() {
        step(reader, line, &mut query, &mut path);
    }
    query.flush(reader);
}

fn step(reader: &mut Reader, line: Line, query: &mut Query, path: &mut Vec<String>) {
    let text = line.text.trim();
    if let Some(pci) = first(re!(r#"^<gpu id="([0-9A-Fa-f:.]+)">"#), text) {
        query.flush(reader);
        let card = reader.card(Some(pci), None, None);
        if let Some(card) = card {
            identity(reader, card, Some(pci), None, line.number);
        }
        *query = Query::of(card);
        path.clear();
    } else if let Some(cells) = caps(re!(r"^<(\w+)(?:\s[^>]*)?>([^<]*)</\w+>$"), text) {
        let cell = |n: usize| cells.get(n).map_or("", |m| m.as_str());
        query.open(path);
        let key = words(cell(1));
        entry(reader, line.number, query, &key, cell(2).trim());
    } else if let Some(name) = first(re!(r"^<(\w+)(?:\s[^>]*)?>$"), text) {
        if path.len() < 8 {
            path.push(words(name));
        }
    } else if text.starts_with("</") {
        path.pop();
    }
}

/// An element's name as the text form has it.
fn words(name: &str) -> String {
    let known = [
        ("current_mig", "current"),
        ("uuid", "gpu uuid"),
        ("pid", "process id"),
        ("process_name", "name"),
        ("used_memory", "used gpu memory"),
        ("gpu_temp", "gpu current temp"),
        ("gpu_temp_slow_threshold", "gpu slowdown temp"),
        ("gpu_temp_max_threshold", "gpu shutdown temp"),
        ("current_link_gen", "current"),
        ("max_link_gen", "max"),
        ("current_link_width", "current"),
        ("max_link_width", "max"),
        ("link_widths", "link width"),
        ("pcie_gen", "pcie generation"),
        ("remapped_row_pending", "pending"),
        ("remapped_row_failure", "remapping failure occurred"),
        ("pending_retirement", "pending page blacklist"),
        ("gpu_power_readings", "power readings"),
    ];
    let known = known.iter().find(|(from, _)| *from == name);
    known.map_or_else(|| name.replace('_', " "), |(_, to)| (*to).to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{facts, value};
    use super::super::{Subject, Value};
    use crate::segment::Kind;

    #[test]
    fn the_xml_form_gives_the_same_facts() {
        let text = r#"<?xml version="1.0" ?>
<nvidia_smi_log>
	<driver_version>550.90.07</driver_version>
	<cuda_version>12.4</cuda_version>
	<attached_gpus>1</attached_gpus>
	<gpu id="00000000:01:00.0">
		<product_name>NVIDIA A100-SXM4-80GB</product_name>
		<persistence_mode>Disabled</persistence_mode>
		<uuid>GPU-0a7a3f52-9e1d-41f6-8f0b-6c1d2e3f4a5b</uuid>
		<mig_mode>
			<current_mig>Enabled</current_mig>
		</mig_mode>
		<ecc_errors>
			<volatile>
				<dram_uncorrectable>3</dram_uncorrectable>
			</volatile>
		</ecc_errors>
		<remapped_rows>
			<remapped_row_pending>Yes</remapped_row_pending>
		</remapped_rows>
		<temperature>
			<gpu_temp>41 C</gpu_temp>
		</temperature>
	</gpu>
</nvidia_smi_log>"#;
        let facts = facts(Kind::NvidiaSmiQ, text);
        let one = Subject::Gpu(0);
        assert_eq!(value(&facts, Subject::None, "driver.version"), Some(Value::Version("550.90.07".into())));
        assert_eq!(value(&facts, one, "gpu.mig_mode"), Some(Value::Bool(true)));
        assert_eq!(value(&facts, one, "gpu.ecc_uncorrectable_volatile"), Some(Value::Int(3)));
        assert_eq!(value(&facts, one, "gpu.row_remap_pending"), Some(Value::Bool(true)));
        assert_eq!(value(&facts, one, "gpu.temperature"), Some(Value::Int(41)));
        assert_eq!(facts.gpus.len(), 1);
    }
}
