//! Turns against a scripted model, scripted tools and a scripted clock.
