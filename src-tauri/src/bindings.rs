//! The commands and their wire types, for Tauri and for the TypeScript side.

use tauri_specta::{Builder, collect_commands};

use crate::commands::{
    calibration, chat, comparison, conversations, downloads, files, hub, models, preferences, settings, training,
    window,
};

/// Every command of the window. `build.rs` and `capabilities/` name them once more: one that is missing there is
/// refused at run time.
macro_rules! every_command {
    () => {
        collect_commands![
            models::models,
            models::model_details,
            models::drafter_fits,
            models::bandwidth_ceiling,
            models::add_model,
            models::add_demo,
            models::remove_model,
            models::orphans,
            models::choose_folder,
            files::missing_files,
            files::check_files,
            files::running_checks,
            files::stop_checking,
            files::trash,
            files::restore_model,
            files::empty_trash,
            downloads::watch_downloads,
            downloads::pause_download,
            downloads::resume_download,
            downloads::cancel_download,
            downloads::forget_download,
            hub::catalogue,
            hub::discover,
            hub::offer,
            hub::get,
            hub::open_page,
            hub::hub_status,
            hub::log_in,
            hub::log_out,
            hub::set_offline,
            hub::found,
            conversations::conversations,
            conversations::rename_conversation,
            conversations::pin_conversation,
            conversations::tag_conversation,
            conversations::remove_conversation,
            conversations::removed_conversations,
            conversations::restore_conversation,
            conversations::forget_conversation,
            conversations::messages,
            conversations::show_branch,
            conversations::rounds,
            conversations::search,
            conversations::set_system,
            conversations::unsent_messages,
            conversations::keep_unsent_message,
            conversations::export_conversation,
            chat::say,
            chat::edit_message,
            chat::choose_attachments,
            chat::answer_again,
            chat::rerun,
            chat::go_on,
            chat::watch,
            chat::stop,
            chat::verify,
            chat::stop_verifying,
            chat::open_link,
            training::training_choices,
            training::choose_prompts,
            training::estimate_training,
            training::start_training,
            training::trainings,
            training::watch_trainings,
            training::pause_training,
            training::resume_training,
            training::train_longer,
            training::stop_training,
            training::remove_training,
            calibration::calibration_choices,
            calibration::estimate_calibration,
            calibration::start_calibration,
            calibration::calibrations,
            calibration::watch_calibrations,
            calibration::calibration_report,
            calibration::pause_calibration,
            calibration::resume_calibration,
            calibration::remove_calibration,
            calibration::apply_calibration,
            calibration::revert_calibration,
            calibration::write_calibration,
            calibration::take_back_calibration,
            calibration::calibration_standing,
            calibration::export_calibration,
            comparison::comparison_choices,
            comparison::estimate_comparison,
            comparison::start_comparison,
            comparison::comparisons,
            comparison::watch_comparisons,
            comparison::watch_race,
            comparison::comparison_report,
            comparison::pause_comparison,
            comparison::resume_comparison,
            comparison::remove_comparison,
            comparison::export_comparison,
            preferences::preferences,
            preferences::save_preferences,
            preferences::presets,
            preferences::save_preset,
            preferences::remove_preset,
            settings::storage,
            settings::memory_reserve,
            settings::set_memory_reserve,
            settings::about,
            settings::save_diagnostics,
            window::show_menus,
            window::enable_actions,
            window::seen,
            window::appearance,
            window::set_appearance,
        ]
    };
}

/// What the window and the app say to each other.
pub(crate) fn bindings() -> Builder<tauri::Wry> {
    Builder::new()
        .commands(every_command!())
        // One type for both directions: an optional field is always written, as null if need be.
        .disable_serde_phases()
        // Ids, counts and milliseconds stay far below 2^53, and no measurement is infinite.
        .dangerously_cast_bigints_to_number()
        .semantic_types(specta_typescript::semantic::Configuration::empty().enable_lossless_floats())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

    use std::collections::BTreeSet;
    use std::path::Path;

    use specta_typescript::Typescript;

    #[test]
    fn bindings_are_current() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/lib/bindings.ts");
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        super::bindings().export(Typescript::default(), &path).unwrap();
        let after = std::fs::read_to_string(&path).unwrap();
        assert!(before == after, "ui/src/lib/bindings.ts was stale: check the ui again with the one that is there now");
    }

    #[test]
    fn the_window_may_call_every_command_and_nothing_else() {
        let bindings = include_str!("../../ui/src/lib/bindings.ts");
        let names = bindings.split("__TAURI_INVOKE(\"").skip(1).filter_map(|call| call.split('"').next());
        let needed: BTreeSet<String> = names.map(|name| format!("allow-{}", name.replace('_', "-"))).collect();

        let capability: Capability = serde_json::from_str(include_str!("../capabilities/default.json")).unwrap();
        assert_eq!(capability.permissions, needed);
    }

    #[derive(serde::Deserialize)]
    struct Capability {
        permissions: BTreeSet<String>,
    }
}
