//! The whole anonymiser on small pastes.
