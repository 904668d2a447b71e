//! The web service from outside: routes, forms of answers, limits, deleting.

#[path = "http/client.rs"]
mod client;
#[path = "http/deleting.rs"]
mod deleting;
#[path = "http/errors.rs"]
mod errors;
#[path = "http/pages.rs"]
mod pages;
#[path = "http/pastes.rs"]
mod pastes;
#[path = "http/preview.rs"]
mod preview;
#[path = "http/secrets.rs"]
mod secrets;
#[path = "http/tables.rs"]
mod tables;
