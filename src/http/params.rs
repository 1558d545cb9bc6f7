//! Query parameters. A value that is out of range or not in its list is an error that names it; nothing is clamped.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use actix_web::{FromRequest, HttpRequest, dev::Payload, web};

use crate::domain::events::GameMode;
use crate::domain::scores::Metric;
use crate::domain::windows::Window;
use crate::error::AppError;
use crate::features::activity::{CATEGORIES, FeedQuery};

/// The query parameters of a request; the last of equal names counts.
pub struct Params(HashMap<String, String>);

impl FromRequest for Params {
    type Error = AppError;
    type Future = std::future::Ready<Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let read = web::Query::<Vec<(String, String)>>::from_query(request.query_string());
        std::future::ready(match read {
            Ok(pairs) => Ok(Self(pairs.into_inner().into_iter().collect())),
            Err(_) => Err(AppError::Validation("The query string cannot be parsed.".into())),
        })
    }
}

impl Params {
    /// Returns a parameter, which may be empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Parses an integer within a range.
    pub fn int(&self, name: &str, default: i64, range: RangeInclusive<i64>) -> Result<i64, AppError> {
        let Some(text) = self.text(name) else { return Ok(default) };
        text.parse().ok().filter(|n| range.contains(n)).ok_or_else(|| {
            let expected = if *range.end() == i64::MAX {
                format!("a whole number from {}", range.start())
            } else {
                format!("a whole number from {} to {}", range.start(), range.end())
            };
            AppError::invalid_value(name, text, &expected)
        })
    }

    /// Parses an id; `None` if the parameter is missing.
    pub fn optional_id(&self, name: &str) -> Result<Option<i64>, AppError> {
        match self.text(name) {
            None => Ok(None),
            Some(_) => self.int(name, 1, 1..=i64::MAX).map(Some),
        }
    }

    /// Parses one of a list of words.
    pub fn one_of<T: Copy>(&self, name: &str, default: T, words: &[(&str, T)]) -> Result<T, AppError> {
        let Some(text) = self.text(name) else { return Ok(default) };
        words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
            let list: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            AppError::invalid_value(name, text, &format!("one of {}", list.join(", ")))
        })
    }

    pub fn metric(&self, name: &str) -> Result<Metric, AppError> {
        self.one_of(name, Metric::Overall, &Metric::ALL.map(|metric| (metric.as_str(), metric)))
    }

    pub fn window(&self) -> Result<Window, AppError> {
        self.one_of("window", Window::All, &Window::NAMES)
    }

    /// Parses `desc` (default) or `asc`.
    pub fn is_desc(&self, name: &str) -> Result<bool, AppError> {
        self.one_of(name, true, &[("desc", true), ("asc", false)])
    }

    pub fn game_mode(&self) -> Result<Option<GameMode>, AppError> {
        self.one_of("gameMode", None, &[("PU", Some(GameMode::Pu)), ("AC", Some(GameMode::Ac))])
    }

    /// Parses the parameters that all feeds share.
    pub fn feed(&self, default_limit: i64) -> Result<FeedQuery, AppError> {
        let before = self.optional_id("before")?;
        Ok(FeedQuery {
            category: self.one_of("filter", None, &CATEGORIES)?,
            before,
            limit: self.int("limit", default_limit, 1..=100)?,
            offset: self.int("offset", 0, 0..=i64::from(i32::MAX))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(pairs: &[(&str, &str)]) -> Params {
        Params(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
    }

    #[test]
    fn an_error_names_the_parameter_and_its_range() {
        for value in ["0", "101", "-1", "ten", "1.5", "99999999999999999999"] {
            let error = params(&[("limit", value)]).int("limit", 5, 1..=100).unwrap_err();
            assert_eq!(error.to_string(), format!("invalid limit '{value}': expected a whole number from 1 to 100"));
        }
        assert_eq!(params(&[]).int("limit", 5, 1..=100).unwrap(), 5);
    }

    #[test]
    fn unknown_words_are_rejected() {
        assert!(params(&[("sortBy", "kills")]).metric("sortBy").unwrap_err().to_string().contains("pve_kills"));
        assert!(params(&[("window", "1y")]).window().is_err());
        assert!(params(&[("order", "DESC")]).is_desc("order").is_err());
        assert!(params(&[("filter", "all")]).feed(50).is_err());
    }
}
