package com.example.coll.hub;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** The parameters of the module, named {@code coll.hub.} and the element's name; set per job. */
@ObjectClassDefinition(name = "Hub collectives", description = "Parameters of collective module hub, frozen when a job starts")
@interface HubParameters {
    /** The PID under which they are declared: {@code coll.} and the module's name. */
    String PID = "coll.hub";

    /** The largest communicator on which the module broadcasts; the next module in order does so on larger ones. */
    @AttributeDefinition(name = "Most ranks", description = "Largest communicator on which the module broadcasts; 0 for none", min = "0")
    int ranks() default 8;
}
