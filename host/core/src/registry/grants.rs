//! What the operator lets each capability have.

use std::collections::BTreeMap;

use forge_contract::grant::Grant;
use forge_contract::name::Name;
use forge_contract::requirements::Requirements;

/// The grant of each capability. A capability that is not named is granted nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grants {
    of_capability: BTreeMap<Name, Grant>,
}

impl Grants {
    /// Sets the grant of `capability`, in place of an earlier one.
    pub fn set(&mut self, capability: Name, grant: Grant) {
        self.of_capability.insert(capability, grant);
    }

    /// What `capability` is let, whichever operation it is.
    #[must_use]
    pub fn of(&self, capability: &Name) -> Option<&Grant> {
        self.of_capability.get(capability)
    }

    /// The grant for one call: what `capability` is let and the operation declares. An operation that
    /// declares nothing at all (`requires` absent) is granted nothing.
    #[must_use]
    pub fn for_call(&self, capability: &Name, requires: Option<&Requirements>) -> Grant {
        match (self.of_capability.get(capability), requires) {
            (Some(grant), Some(requires)) => grant.limited_to(requires),
            _ => Grant::default(),
        }
    }
}

impl FromIterator<(Name, Grant)> for Grants {
    fn from_iter<I: IntoIterator<Item = (Name, Grant)>>(grants: I) -> Self {
        Self {
            of_capability: grants.into_iter().collect(),
        }
    }
}
