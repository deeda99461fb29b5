//! Faults are planted for the models to find; a model that finds none proves nothing.

use crate::models::support::explore;
use crate::sync::{Fault, planted};

fn finds(fault: Fault, model: fn()) -> bool {
    planted::run(fault, || std::panic::catch_unwind(|| explore(4_000, model)).is_err())
}

#[test]
fn a_wake_that_is_decided_before_its_cause_is_found() {
    assert!(finds(Fault::EarlyMark, crate::models::wakes::answers_from_other_threads));
    assert!(finds(Fault::EarlyMark, crate::models::watching::subscribe_while_it_changes));
    assert!(finds(Fault::EarlyMark, crate::models::exchanges::each_hears_of_its_answer));
}

#[test]
fn a_wake_or_input_that_no_thread_of_the_driver_handles_is_found() {
    assert!(finds(Fault::LeftInput, crate::models::driver::requests_behind_slow_calls_are_answered));
    assert!(finds(
        Fault::UnseenWake,
        crate::models::driver::a_change_goes_out_while_every_thread_runs_a_callback
    ));
}

#[test]
fn output_for_a_thread_that_is_not_woken_is_found() {
    assert!(finds(Fault::ParkedNews, crate::models::resuming::a_client_comes_back_during_its_call));
}

#[test]
fn a_second_answer_to_one_question_is_found() {
    assert!(finds(Fault::StaleCall, crate::models::responders::finish_twice_and_cancel));
}

#[test]
fn a_hook_that_still_runs_after_its_call_was_answered_is_found() {
    assert!(finds(Fault::UnwaitedHook, crate::models::cancelling::answer_while_the_client_cancels));
}

#[test]
fn a_wake_that_still_runs_after_it_was_revoked_is_found() {
    assert!(finds(Fault::UnwaitedRevoke, crate::models::revoking::answers_while_the_wake_is_revoked));
}
