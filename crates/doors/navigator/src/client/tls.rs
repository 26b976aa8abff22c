//! TLS on the client's side: verification of the server's certificate.
//!
//! A server without a configured certificate generates one at its start, which clients cannot know beforehand. So a
//! server's certificate is verified only if the program's user has named the trusted ones: a file with certificates in
//! PEM, which the environment variable `MAINSTAY_CA` names. The server must present one of these, byte for byte,
//! whatever it contains (the certificates of `openssl req -x509` are marked as an authority, and servers present them
//! all the same), or one signed by one of these, for the host's name. Without the variable the connection is encrypted,
//! but an attacker between client and server can read it.

use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::path::Path;
use std::sync::Arc;

/// Whose certificates are taken. Their owner then still has to prove that they are his.
#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    trusted: Trusted,
}

#[derive(Debug)]
enum Trusted {
    /// Everybody.
    All,
    /// Servers with one of these certificates, or with one that they have signed.
    These { certificates: Vec<CertificateDer<'static>>, signers: Arc<WebPkiServerVerifier> },
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        match &self.trusted {
            Trusted::These { certificates, signers } if !certificates.contains(shown) => {
                signers.verify_server_cert(shown, between, name, ocsp, now)
            }
            Trusted::All | Trusted::These { .. } => Ok(ServerCertVerified::assertion()),
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

fn refused(error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::NotPermitted, format!("TLS cannot be used: {error}"))
}

/// Those of a file of certificates in PEM.
fn trusted(path: &Path, provider: &Arc<CryptoProvider>) -> Result<Trusted> {
    let pem = Disk.read(path)?;
    let (mut certificates, mut roots) = (Vec::new(), RootCertStore::empty());
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| refused(&format!("{error:?}")))?;
        roots.add(certificate.clone()).map_err(|error| refused(&error))?;
        certificates.push(certificate);
    }
    let signers = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider)).build();
    Ok(Trusted::These { certificates, signers: signers.map_err(|error| refused(&error))? })
}

/// The beginning of TLS with a host.
pub(crate) fn connection(host: &str, trusted_file: Option<&Path>) -> Result<ClientConnection> {
    let provider = Arc::new(ring::default_provider());
    let trusted = trusted_file.map_or(Ok(Trusted::All), |path| trusted(path, &provider))?;
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| refused(&error))?;
    let verifier = Arc::new(Verifier { provider, trusted });
    let config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).map_err(|error| refused(&error))?;
    ClientConnection::new(Arc::new(config), name).map_err(|error| refused(&error))
}
