//! TLS at the client's side: what it takes to trust a server.
//!
//! A server that was given no certificate makes one at its start, which nobody can know beforehand. So a server's
//! certificate is compared with something only if the program's user has said with what: a file with certificates in PEM,
//! which the environment variable `MAINSTAY_CA` names. Without it the connection is encrypted, and whoever can put
//! himself between client and server can read it.

use mainstay_base::{Code, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::path::Path;
use std::sync::Arc;

/// Takes every certificate, whose owner then still has to prove that it is his.
#[derive(Debug)]
struct Unknown(Arc<CryptoProvider>);

impl ServerCertVerifier for Unknown {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// The beginning of TLS with a host.
pub(crate) fn connection(host: &str, trusted: Option<&Path>) -> Result<ClientConnection> {
    let refused =
        |error: &dyn std::fmt::Display| Error::new(Code::NotPermitted, format!("TLS cannot be used: {error}"));
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| refused(&error))?;
    let config = match trusted {
        Some(path) => {
            let pem = Disk.read(path)?;
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_slice_iter(&pem) {
                let certificate = certificate.map_err(|error| refused(&format!("{error:?}")))?;
                roots.add(certificate).map_err(|error| refused(&error))?;
            }
            builder.with_root_certificates(roots).with_no_client_auth()
        }
        None => {
            let verifier = Arc::new(Unknown(provider));
            builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
        }
    };
    let name = ServerName::try_from(host.to_owned()).map_err(|error| refused(&error))?;
    ClientConnection::new(Arc::new(config), name).map_err(|error| refused(&error))
}
