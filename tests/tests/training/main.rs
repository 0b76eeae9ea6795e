//! Training: the loss is the reference's, the gradients are right, the numbers that are learned draft, and nothing is
//! lost when a training is interrupted.

mod drafting;
mod gradients;
mod learning;
mod lesson;
mod loss;
mod resuming;
mod shards;
mod target;
