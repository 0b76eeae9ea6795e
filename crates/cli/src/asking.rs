//! From the command line to requests.

use app::{App, CheckpointRole, Controls, Message, Prompt, Request, Role};

use crate::args::AskingArguments;
use crate::failure::Failure;

/// What all requests of a command have in common.
pub(crate) struct Asking {
    /// With an empty prompt.
    pub(crate) request: Request,
    /// Whether prompts are continued as they stand.
    pub(crate) raw: bool,
    /// What stands before every conversation.
    pub(crate) system: Option<Message>,
}

impl Asking {
    pub(crate) async fn new(app: &App, arguments: AskingArguments) -> Result<Self, Failure> {
        let target = app.resolve(&arguments.target, CheckpointRole::Target).await?;
        let drafter = match &arguments.drafter {
            Some(drafter) => Some(app.resolve_drafter(drafter).await?),
            None => None,
        };
        app.note_use(&arguments.target, arguments.drafter.as_deref()).await?;
        let (precision, controls) = (arguments.dtype.into(), Controls::from(arguments.controls));
        let request = Request {
            cost: app.cost(&target, drafter.as_ref(), precision).await?,
            calibration: app.calibration_for(&target, drafter.as_ref(), precision, controls.thinking).await?,
            observe: arguments.observe,
            drafter,
            precision,
            controls,
            memory: app.memory(arguments.over_memory).await?,
            ..Request::new(target, Prompt::Chat(Vec::new()))
        };
        let system = arguments.system.map(|system| Message::new(Role::System, system));
        Ok(Self { request, raw: arguments.raw, system })
    }
}
