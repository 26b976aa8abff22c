//! Certificates, and the TLS that a server offers.
//!
//! For SQL Server's clients, versions 7.x of the protocol carry the handshake inside their own packets, and everything
//! after it in plain TLS records. Only TLS 1.2 is offered there, as SQL Server does: 1.3 sends records after the
//! handshake, which have no place in it. Version 8.0 is TLS from the first byte, 1.3 included.

use crate::config::Config;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::sync::Arc;

/// The TLS configurations over one certificate.
#[derive(Clone, Debug)]
pub(crate) struct Tls {
    /// TLS 1.2 only, for handshakes inside packets of TDS.
    pub inside: Arc<ServerConfig>,
    /// From the first byte, with the application protocol of TDS 8.0.
    pub strict: Arc<ServerConfig>,
    /// From the first byte, without an application protocol.
    pub plain: Arc<ServerConfig>,
    /// True if the certificate was generated.
    pub self_signed: bool,
}

impl Tls {
    /// With the certificate of the settings, or a generated one.
    ///
    /// Errors: `InvalidSetting` for a certificate or key that cannot be used; those of reading their files.
    pub fn new(config: &Config, fs: &dyn FileSystem) -> Result<Tls> {
        let (chain, key, self_signed) = match (&config.certificate, &config.key) {
            (Some(certificate), Some(key)) => {
                let wrong = |what: &str| Error::new(Code::InvalidSetting, format!("no {what} in PEM is in the file"));
                let pem = fs.read(certificate)?;
                let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
                let chain = chain.ok().filter(|chain| !chain.is_empty());
                let chain = chain.ok_or_else(|| wrong("certificate").at(certificate.display()))?;
                let pem = fs.read(key)?;
                let key = PrivateKeyDer::from_pem_slice(&pem).map_err(|_| wrong("private key").at(key.display()))?;
                (chain, key, false)
            }
            _ => {
                let (certificate, key) = self_signed(&config.name)?;
                (vec![certificate], key, true)
            }
        };
        let inside = server_config(&[&rustls::version::TLS12], chain.clone(), key.clone_key())?;
        let plain = server_config(rustls::ALL_VERSIONS, chain, key)?;
        let mut strict = plain.clone();
        strict.alpn_protocols = vec![b"tds/8.0".to_vec()];
        Ok(Tls { inside: Arc::new(inside), strict: Arc::new(strict), plain: Arc::new(plain), self_signed })
    }
}

fn server_config(
    versions: &[&'static rustls::SupportedProtocolVersion],
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<ServerConfig> {
    let failed =
        |error: rustls::Error| Error::new(Code::InvalidSetting, format!("the certificate cannot be used: {error}"));
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_protocol_versions(versions).map_err(failed)?.with_no_client_auth();
    let mut config = builder.with_single_cert(chain, key).map_err(failed)?;
    config.send_tls13_tickets = 0;
    Ok(config)
}

fn self_signed(name: &str) -> Result<(CertificateDer<'static>, PrivateKeyDer<'static>)> {
    let failed = |error: rcgen::Error| Error::new(Code::Internal, format!("no certificate can be made: {error}"));
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let is_host_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.');
    if is_host_name {
        names.push(name.to_owned());
    }
    let made = rcgen::generate_simple_self_signed(names).map_err(failed)?;
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der())
        .map_err(|error| Error::new(Code::Internal, format!("no key can be made: {error}")))?;
    Ok((made.cert.der().clone(), key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_vfs::Memory;

    #[test]
    fn certificates_come_from_files_or_are_made() {
        let mut config = Config::default();
        assert!(Tls::new(&config, &Memory::new()).unwrap().self_signed);
        let made = rcgen::generate_simple_self_signed(vec!["db.example".into()]).unwrap();
        let files = Memory::new();
        files.write("c.pem", made.cert.pem().as_bytes());
        files.write("k.pem", made.signing_key.serialize_pem().as_bytes());
        (config.certificate, config.key) = (Some("c.pem".into()), Some("k.pem".into()));
        assert!(!Tls::new(&config, &files).unwrap().self_signed);
        config.key = Some("c.pem".into());
        let error = Tls::new(&config, &files).unwrap_err().to_string();
        assert_eq!(error, "c.pem: no private key in PEM is in the file");
        config.certificate = Some("none.pem".into());
        assert!(Tls::new(&config, &files).is_err());
    }
}
