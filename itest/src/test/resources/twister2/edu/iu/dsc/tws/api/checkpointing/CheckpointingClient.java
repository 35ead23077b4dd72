package edu.iu.dsc.tws.api.checkpointing;

/** Stands for a type that only the signature of a method names. */
public interface CheckpointingClient {}
