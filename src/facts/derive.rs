pub fn derive(_: &crate::segment::Log, _: &crate::pattern::Tables, _: &mut super::Facts) {}
