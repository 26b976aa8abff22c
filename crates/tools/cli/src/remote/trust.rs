//! The certificates that a client accepts.
//!
//! ```text
//!   trust=yes, or a server of this machine   any certificate; the handshake still proves that the server owns it
//!   trust=FILE                               the certificate in the file itself, or one that it has signed
//!   otherwise                                one signed by a certificate authority of the system
//! ```
//!
//! A server without a configured certificate generates a self-signed one at every start, which cannot be verified: on
//! one machine that is acceptable, because no data leaves it.

use mainstay_tds_client::{Address, Trust};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The places of the system's certificates: Debian, Fedora, SUSE, Alpine and macOS.
const SYSTEM_CERTIFICATES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
];

/// The TLS settings for an address. `strict`: TLS from the first byte, with the application protocol of TDS 8.0.
///
/// Errors: `InvalidSetting` for a file without certificates; those of reading it.
pub(super) fn client_config(address: &Address, strict: bool) -> Result<Arc<ClientConfig>> {
    let failed =
        |error: rustls::Error| Error::new(Code::Internal, format!("no encryption with these settings: {error}"));
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    // A handshake in packets has no place for records that TLS 1.3 sends behind it.
    let versions: &[_] = if strict { rustls::ALL_VERSIONS } else { &[&rustls::version::TLS12] };
    let builder = builder.with_protocol_versions(versions).map_err(failed)?;
    let verifier = verifier(address, provider)?;
    let mut config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    if strict {
        config.alpn_protocols = vec![b"tds/8.0".to_vec()];
    }
    Ok(Arc::new(config))
}

fn verifier(address: &Address, provider: Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>> {
    let (accepts_any, file) = match &address.trust {
        Trust::Any => (true, None),
        Trust::Default if address.is_loopback() => (true, None),
        Trust::Default => (false, Some(system_certificates()?)),
        Trust::File(file) => (false, Some(PathBuf::from(file))),
    };
    let known = file.map_or_else(|| Ok(Vec::new()), |file| certificates(&file))?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(known.iter().cloned());
    let chain = match roots.is_empty() {
        true => None,
        false => WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build().ok(),
    };
    Ok(Arc::new(Verifier { accepts_any, known, chain, provider }))
}

fn system_certificates() -> Result<PathBuf> {
    let named = std::env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    let usual = SYSTEM_CERTIFICATES.iter().map(PathBuf::from);
    named.into_iter().chain(usual).find(|file| Disk.stamp(file).is_ok()).ok_or_else(|| {
        let error = Error::new(Code::NotFound, "the system has no certificates to confirm the server's");
        error.hint("trust=FILE names the server's certificate, trust=yes accepts any")
    })
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let pem = Disk.read(file).map_err(|error| error.at(file.display()))?;
    let read: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    read.ok().filter(|certificates| !certificates.is_empty()).ok_or_else(|| {
        Error::new(Code::InvalidSetting, "there is no certificate in PEM in the file").at(file.display())
    })
}

#[derive(Debug)]
struct Verifier {
    accepts_any: bool,
    /// Accepted as they are.
    known: Vec<CertificateDer<'static>>,
    /// Accepts what these confirm.
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        if self.accepts_any || self.known.contains(certificate) {
            return Ok(ServerCertVerified::assertion());
        }
        match &self.chain {
            Some(chain) => chain.verify_server_cert(certificate, intermediates, name, ocsp, now),
            None => Err(rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer)),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
