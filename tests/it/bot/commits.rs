//! Placeholder of this step.
