//! Passwords: only their hashes are stored (argon2id, in the text form of the PHC).
//!
//! Checking one takes 19 MiB and some ten milliseconds by design; so that many guesses cannot exhaust the machine's
//! memory, no more than two are checked at a time. An unknown user takes the same time as a known one.

use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use mainstay_types::{Code, Error, Result};
use std::sync::{Condvar, Mutex, PoisonError};

/// Passwords that are checked at the same time.
const AT_A_TIME: usize = 2;
/// Memory, passes and lanes that OWASP's sheet on password storage recommends for argon2id.
const COST: (u32, u32, u32) = (19 * 1024, 2, 1);

/// The hash of a password, for the settings file.
pub fn hash(password: &str) -> Result<String> {
    hash_at_cost(password, COST)
}

/// The same at another cost: memory in KiB, passes, lanes.
pub fn hash_at_cost(password: &str, cost: (u32, u32, u32)) -> Result<String> {
    let failed = |what: String| Error::new(Code::Internal, format!("no hash of the password can be made: {what}"));
    let params = Params::new(cost.0, cost.1, cost.2, None).map_err(|error| failed(error.to_string()))?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let salt = SaltString::generate(&mut OsRng);
    let hash = argon2.hash_password(password.as_bytes(), &salt).map_err(|error| failed(error.to_string()))?;
    Ok(hash.to_string())
}

/// Refuses what is no hash.
///
/// Errors: `InvalidSetting`.
pub fn check_hash(hash: &str) -> Result<()> {
    match PasswordHash::new(hash) {
        Ok(hash) if hash.algorithm.as_str().starts_with("argon2") => Ok(()),
        _ => Err(Error::new(Code::InvalidSetting, "password_hash is no hash of argon2 in the form $argon2id$v=19$...")),
    }
}

/// Checks passwords, a few at a time.
#[derive(Debug)]
pub struct Checker {
    free: Mutex<usize>,
    freed: Condvar,
    /// The hash that passwords of unknown users are compared with.
    decoy: String,
}

impl Checker {
    /// The password of an unknown user is compared with `cost_like`, so that it takes as long.
    pub fn new(cost_like: Option<&str>) -> Checker {
        let decoy = cost_like.map_or_else(String::new, str::to_owned);
        Checker { free: Mutex::new(AT_A_TIME), freed: Condvar::new(), decoy }
    }

    /// Returns true if the password has this hash; without one, never, after as long a time.
    pub fn matches(&self, password: &str, hash: Option<&str>) -> bool {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self.freed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        drop(free);
        let right = PasswordHash::new(hash.unwrap_or(&self.decoy))
            .is_ok_and(|parsed| Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok());
        *self.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.freed.notify_one();
        right && hash.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_matches_its_hash_only() {
        let hash = hash_at_cost("p@ss wörd", (8, 1, 1)).unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=8,t=1,p=1$"));
        let checker = Checker::new(Some(&hash));
        assert!(checker.matches("p@ss wörd", Some(&hash)));
        assert!(!checker.matches("p@ss word", Some(&hash)));
        // An unknown user is refused even with the decoy's password.
        assert!(!checker.matches("p@ss wörd", None));
        assert!(check_hash(&hash).is_ok() && check_hash("p@ss").is_err());
        assert_ne!(hash_at_cost("p@ss wörd", (8, 1, 1)).unwrap(), hash);
    }
}
