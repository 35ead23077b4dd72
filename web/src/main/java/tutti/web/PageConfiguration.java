package tutti.web;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;

/** Attributes of configuration {@code tutti.web}. An attribute that it lacks is read from the framework property {@code tutti.web.ATTRIBUTE}. */
@ObjectClassDefinition(id = PageComponent.PID, name = "Tutti live page", description = "The live page of this container's node.")
@interface PageConfiguration {

    @AttributeDefinition(name = "Port", description = "port on the loopback address, 0 for any free one; without it there is no page", min = "0",
        max = "65535", required = false)
    int port();
}
