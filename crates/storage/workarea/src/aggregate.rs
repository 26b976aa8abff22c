//! Aggregates over the records that the area shows: COUNT, SUM, AVERAGE, and the least and greatest value.

use crate::area::Area;
use crate::value::FieldValue;
use mainstay_types::{Code, Error, Result};

/// One aggregate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// The number of records.
    Count,
    /// The sum of an expression.
    Sum(String),
    /// Its average; 0 without records.
    Average(String),
    /// Its least value.
    Minimum(String),
    /// Its greatest value.
    Maximum(String),
}

/// Over which records, beside what scope and filter show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Among {
    /// Only those for which this condition is true.
    pub condition: Option<String>,
    /// From the current record on, while this condition is true; without it, from the first on.
    pub while_condition: Option<String>,
}

impl Area {
    /// Computes aggregates in one pass. The area stays where it is. The least and greatest of nothing is
    /// [`FieldValue::Null`].
    ///
    /// Errors: those of the expressions; `TypeMismatch` for the sum of what is no number.
    pub fn aggregate(&mut self, wanted: &[Aggregate], among: &Among) -> Result<Vec<FieldValue>> {
        self.leave()?;
        self.look()?;
        let parked = self.park();
        let mut states = vec![State::default(); wanted.len()];
        let walked = self.aggregate_each(wanted, among, &mut states);
        self.return_to(parked);
        walked?;
        Ok(states.into_iter().zip(wanted).map(|(state, wanted)| state.result(wanted)).collect())
    }

    fn aggregate_each(&mut self, wanted: &[Aggregate], among: &Among, states: &mut [State]) -> Result<()> {
        let mut record = match among.while_condition {
            Some(_) => Some(self.recno),
            None => self.first()?,
        };
        while let Some(recno) = record.filter(|recno| *recno >= 1 && *recno <= self.blocks.count()) {
            self.visit(recno)?;
            if let Some(goes_on) = &among.while_condition
                && !self.evaluate_logical(goes_on)?
            {
                break;
            }
            let counts = match &among.condition {
                Some(condition) => self.evaluate_logical(condition)?,
                None => true,
            };
            if counts {
                for (state, wanted) in states.iter_mut().zip(wanted) {
                    state.add(self, wanted)?;
                }
            }
            record = self.step_shown(true)?;
        }
        Ok(())
    }
}

/// An aggregate on its way.
#[derive(Clone, Debug, Default)]
struct State {
    count: u64,
    sum: f64,
    best: Option<FieldValue>,
}

impl State {
    fn add(&mut self, area: &mut Area, wanted: &Aggregate) -> Result<()> {
        let (expression, sums) = match wanted {
            Aggregate::Count => {
                self.count += 1;
                return Ok(());
            }
            Aggregate::Sum(expression) | Aggregate::Average(expression) => (expression, true),
            Aggregate::Minimum(expression) | Aggregate::Maximum(expression) => (expression, false),
        };
        let value = area.evaluate(expression)?;
        if value == FieldValue::Null {
            return Ok(());
        }
        self.count += 1;
        if sums {
            let number = value.as_number();
            self.sum += number.ok_or_else(|| {
                Error::new(Code::TypeMismatch, format!("the sum of {expression}, which is no number"))
            })?;
            return Ok(());
        }
        let wins = self.best.as_ref().is_none_or(|best| match wanted {
            Aggregate::Minimum(_) => value.compare(best).is_lt(),
            _ => value.compare(best).is_gt(),
        });
        if wins {
            self.best = Some(value);
        }
        Ok(())
    }

    fn result(self, wanted: &Aggregate) -> FieldValue {
        match wanted {
            Aggregate::Count => FieldValue::Integer(i64::try_from(self.count).unwrap_or(i64::MAX)),
            Aggregate::Sum(_) => FieldValue::Number(self.sum),
            Aggregate::Average(_) if self.count == 0 => FieldValue::Number(0.0),
            Aggregate::Average(_) => FieldValue::Number(self.sum / self.count as f64),
            Aggregate::Minimum(_) | Aggregate::Maximum(_) => self.best.unwrap_or(FieldValue::Null),
        }
    }
}
