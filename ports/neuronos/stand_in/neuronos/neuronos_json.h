/* Stands for the header of the same name. */
#ifndef NEURONOS_JSON_H
#define NEURONOS_JSON_H

char * nj_escape(const char * text); /* The caller frees it. */

#endif
